// Package pdf writes the PDF documents of the sandbox: plain ones from lines of text, and
// signed documents with the signers' input. internal/pdf reads documents.
//
// Files come from strangers, so Write works in a child process of internal/pdf. Text and
// Pad work in the process itself, because they read no file.
package pdf

import (
	"bytes"
	"context"
	"encoding/gob"

	"countersign/internal/pdf"
)

// Write returns the file with the marks drawn in. A file that cannot be read is a
// *pdf.Refusal.
func Write(ctx context.Context, workers *pdf.Workers, file []byte, marks []Mark) ([]byte, error) {
	if len(marks) == 0 {
		return file, nil
	}
	var job bytes.Buffer
	if err := gob.NewEncoder(&job).Encode(marks); err != nil {
		return nil, err
	}
	return workers.Change(ctx, file, job.Bytes())
}

// Job is Write's part in the child process; pdf.Server calls it.
func Job(file, job []byte) ([]byte, error) {
	var marks []Mark
	if err := gob.NewDecoder(bytes.NewReader(job)).Decode(&marks); err != nil {
		return nil, err
	}
	return write(file, marks)
}
