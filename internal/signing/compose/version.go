package compose

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/signing"
)

// digest returns a hash of everything that a form shows of the package; is takes the place
// of its own members.
func (s stored) digest(is shown) string {
	text, err := json.Marshal(struct {
		Package   shown
		Roles     []signing.RoleChange
		Documents []signing.Document
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
	at, err := s.readStored(ctx, d.ID)
	if err != nil {
		return err
	}
	d.stored, d.written = at, false
	return nil
}

// programs stands in a version between the form's revision and what a program made of the
// package since then.
const programs = "-"

// Version names the state of the draft: another one when a page has stored the form, or a
// program has changed the package.
func (d *Draft) Version() string {
	version := strconv.Itoa(d.Form.Revision)
	if d.stale {
		version += programs + d.digest(d.shown())[:16]
	}
	return version
}

// OfProgram reports whether the page that sent typed was shown with what a program had made
// of the package, and not with the stored form.
func OfProgram(typed map[string]string) bool { return strings.Contains(typed["revision"], programs) }

// Replace is the button that saves a page over a newer version.
const Replace = "replace"

// Outdated reports whether the page that sent typed shows an older version of the draft,
// unless its person chose to replace this one. What the page itself has stored is no newer.
func (d *Draft) Outdated(typed map[string]string) bool {
	shown, says := typed["revision"]
	own := typed["once"] == d.Form.Page && !d.stale
	replaces := typed["do"] == Replace && typed["newer"] == d.Version()
	return (says || d.stale) && shown != d.Version() && !own && !replaces
}

// Settle lets the page that sent typed count, for Type to fill in.
func (d *Draft) Settle(typed map[string]string) {
	if typed["do"] == Replace {
		d.Form.Restore(typed)
	}
	d.stale = false
}

// fromPackage makes the form of what a program has made of the package.
func (d *Draft) fromPackage(reminders signing.Reminders, now time.Time) {
	before := d.Form
	d.Form = d.form(before.Last)
	d.Form.readAsked(d.stored)
	d.Form.Done, d.Form.Attached, d.Form.Revision, d.Form.Page = before.Done, before.Attached, before.Revision, before.Page
	d.Form.Sending = d.sendingOf(reminders, now)
}

// matchDocuments removes the form's documents that are gone at the platform, and adds
// those that have come.
func (d *Draft) matchDocuments() {
	for _, document := range slices.Clone(d.Form.Documents) {
		if !slices.ContainsFunc(d.Documents, func(at signing.Document) bool { return at.ID == document.ID }) {
			d.Form.remove(document.Key)
		}
	}
	for _, at := range d.Documents {
		if !slices.ContainsFunc(d.Form.Documents, func(document Document) bool { return document.ID == at.ID }) {
			d.Form.AddDocument(documentOf(at))
		}
	}
}
