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
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// digest returns a hash of everything that a form shows of the package, and of its fields and
// conditions whole; the values in is replace those of s.
func (s storedPackage) digest(is shownValues) string {
	type document struct {
		ID, Name  string
		Index     int
		Extract   bool
		Pages     []signing.PageSize
		Approvals []jsontext.Value
	}
	var roles []signing.RoleChange
	for _, r := range s.roles {
		roles = append(roles, r.RoleChange)
	}
	var documents []document
	for _, d := range s.Documents {
		one := document{d.ID, d.Name, d.Index, d.Extract, d.Pages, nil}
		for _, a := range s.documents[d.ID] {
			one.Approvals = append(one.Approvals, written(a.members))
		}
		documents = append(documents, one)
	}
	text, err := json.Marshal(struct {
		Package    shownValues
		Roles      []signing.RoleChange
		Documents  []document
		Conditions jsontext.Value
	}{is, roles, documents, s.conditions}, jsontext.AllowInvalidUTF8(true))
	if err == nil {
		err = (*jsontext.Value)(&text).Canonicalize(jsontext.AllowInvalidUTF8(true))
	}
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
	d.storedPackage, d.written, d.Form.at = at, false, at.origin
	d.Form.identify()
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

// IsFromProgram reports whether the page that sent typed was shown with what a program had made
// of the package, and not with the stored form.
func IsFromProgram(typed map[string]string) bool {
	return strings.Contains(typed["revision"], programs)
}

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
	d.Form.readAsked(d.storedPackage)
	d.Form.Done, d.Form.Attached, d.Form.Revision, d.Form.Page = before.Done, before.Attached, before.Revision, before.Page
	d.Form.SendOptions = d.sendingOf(reminders, now, before.Zone)
}

// matchDocuments removes the form's documents that are gone at the platform, adds those that
// have come, and lets what a program has set be as it is there.
func (d *Draft) matchDocuments() {
	for _, document := range slices.Clone(d.Form.Documents) {
		if !slices.ContainsFunc(d.Documents, func(at signing.Document) bool { return at.ID == document.ID }) {
			d.Form.remove(document.Key)
		}
	}
	d.Form.Fields = slices.DeleteFunc(d.Form.Fields, func(field Field) bool { return field.Fixed != "" && !d.has(field) })
	for _, at := range d.Documents {
		i := slices.IndexFunc(d.Form.Documents, func(document Document) bool { return document.ID == at.ID })
		if i < 0 {
			d.Form.addStored(at)
			continue
		}
		d.Form.addFixed(d.Form.Documents[i])
	}
}

// addFixed adds what a program has set in a document and no form shows, as far as the form
// does not have it.
func (f *Form) addFixed(d Document) {
	of := Form{Last: f.Last, Recipients: f.Recipients, at: f.at}
	of.addStored(signing.Document{ID: d.ID})
	for _, field := range of.Fields {
		there := slices.ContainsFunc(f.Fields, func(own Field) bool {
			return own.From == field.From && own.ID == field.ID && own.Approval == field.Approval
		})
		if field.Fixed != "" && !there {
			field.Document = d.Key
			field.shrink(d.scale())
			f.Fields = append(f.Fields, field)
		}
	}
	f.Last = of.Last
}
