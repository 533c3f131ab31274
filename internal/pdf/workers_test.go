package pdf_test

import (
	"errors"
	"os"
	"testing"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

func TestMain(m *testing.M) {
	pdftest.Serve()
	os.Exit(m.Run())
}

// workers returns child processes with long time-outs, for tests that do not measure
// time.
func workers(t *testing.T) *pdf.Workers {
	t.Helper()
	w := pdf.NewWorkers(pdftest.Options())
	t.Cleanup(w.Close)
	return w
}

func refused(t *testing.T, err error, reason string) {
	t.Helper()
	var refusal *pdf.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != reason {
		t.Errorf("%v, want the refusal %q", err, reason)
	}
}
