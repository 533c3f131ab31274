package compose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/signing"
)

// digest returns a hash of everything that a form shows of the package, with name as its
// name.
func (s stored) digest(name string) string {
	text, err := json.Marshal(struct {
		Name      string
		Roles     []signing.DraftRole
		Documents []signing.DraftDocument
	}{name, s.Roles, s.Documents})
	if err != nil {
		panic(err) // it was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// base records the platform's state of the package, with name as its name, so that a
// later change made elsewhere is noticed.
func (s *Service) base(ctx context.Context, d *Draft, name string) error {
	if d.written {
		value, err := s.Platform.Package(ctx, d.ID)
		if err != nil {
			return err
		}
		if d.stored, err = readStored(value); err != nil {
			return err
		}
		d.written = false
	}
	d.Form.Base = d.digest(name)
	return nil
}

// Settle ends a conflict of a stale draft: "ours" keeps the form, with the documents that
// the platform has, and "theirs" takes the platform's package. It returns false for any
// other choice, or without a conflict.
func (d *Draft) Settle(which string) bool {
	if !d.Stale {
		return false
	}
	switch which {
	case "ours":
		d.matchDocuments()
	case "theirs":
		done, revision, last := d.Form.Done, d.Form.Revision, d.Form.Last
		d.Form = d.form(last)
		d.Form.Done, d.Form.Revision = done, revision
	default:
		return false
	}
	d.Stale = false
	return true
}

// matchDocuments removes the form's documents that are gone at the platform, and adds
// those that have come.
func (d *Draft) matchDocuments() {
	for _, document := range slices.Clone(d.Form.Documents) {
		if !slices.ContainsFunc(d.Documents, func(at signing.DraftDocument) bool { return at.ID == document.ID }) {
			d.Form.remove(document.Key)
		}
	}
	for _, at := range d.Documents {
		if !slices.ContainsFunc(d.Form.Documents, func(document Document) bool { return document.ID == at.ID }) {
			d.Form.AddDocument(documentOf(at))
		}
	}
}
