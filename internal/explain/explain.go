// Package explain explains one request from the lines of the log.
//
// It reads logs in text and JSON, also as collectors wrap them, and shows nothing that looks
// like a secret, whatever a line holds.
package explain

import (
	"errors"
	"fmt"
	"io"

	"countersign/internal/i18n"
)

// ErrUnknown says that no line tells of the request.
var ErrUnknown = errors.New("no line of the log tells of this request")

// Source is a log.
type Source struct {
	Name string
	// Open returns its content, compressed by gzip or not.
	Open func() (io.ReadCloser, error)
	// Rotated are its older parts, which are read where it does not tell of the request.
	Rotated []Source
}

// Request writes to w the story of the request of that id, in the words of words. It reads all
// sources: one may have the request, and another what the audit trail has of it. Its error is
// ErrUnknown, or that of the sources that could not be read, if none of the others tells of it.
func Request(w io.Writer, words *i18n.Printer, id string, sources []Source) error {
	var problems []error
	var found story
	for _, source := range sources {
		before := found.lines
		for _, part := range append([]Source{source}, source.Rotated...) {
			if err := read(part, id, found.add); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", part.Name, err))
			}
			if found.request != nil && found.lines > before {
				break
			}
		}
	}
	if found.request != nil {
		found.write(w, words)
		return nil
	}
	return errors.Join(append([]error{ErrUnknown}, problems...)...)
}
