package compose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/signing"
)

// digest returns a hash of everything that a form shows of the package; is takes the place
// of its own members.
func (s stored) digest(is shown) string {
	text, err := json.Marshal(struct {
		Package   shown
		Roles     []signing.DraftRole
		Documents []signing.DraftDocument
	}{is, s.Roles, s.Documents})
	if err != nil {
		panic(err) // it was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// renew reads the package again if it was changed since it was read.
func (s *Service) renew(ctx context.Context, d *Draft) error {
	if !d.written {
		return nil
	}
	value, err := s.Platform.Package(ctx, d.ID)
	if err != nil {
		return err
	}
	d.stored, err = readStored(value)
	d.written = err != nil
	return err
}

// Resolve ends the conflict of a stale draft: "ours" keeps the form, with the documents that
// the platform has, and "theirs" takes the platform's package. It returns false for any
// other choice, or without a conflict.
func (d *Draft) Resolve(which string, now time.Time) bool {
	if !d.Stale {
		return false
	}
	switch which {
	case "ours":
		d.matchDocuments()
	case "theirs":
		before := d.Form
		sending := d.sendingOf(d.Form.reminders(), now)
		d.Form = d.form(before.Last)
		d.Form.readAsked(d.stored)
		d.Form.Done, d.Form.Attached, d.Form.Revision, d.Form.Sending = before.Done, before.Attached, before.Revision, sending
		d.Form.Page = before.Page
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
