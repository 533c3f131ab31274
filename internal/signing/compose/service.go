package compose

import (
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/pdf"
	"countersign/internal/signing"
	"countersign/internal/signing/platform"
)

// Service loads, changes and sends the drafts at the platform. It is safe for concurrent
// use.
type Service struct {
	Platform *platform.Client
	Keys     Keys
	// Once creates one draft for a form that is submitted twice.
	Once *idempotency.Store
	// PDF reads documents; nil reads none.
	PDF *pdf.Workers
	// Production refuses recipients whose address is reserved.
	Production bool
	// Limits are the limits of documents.
	Limits signing.Limits
	// Now is the clock.
	Now func() time.Time
}

// Draft is a package at the platform with its form.
type Draft struct {
	Form Form
	// Sent says that the package is no draft any more, Template that it never is one.
	Sent, Template bool
	// Shown is the version that the page was shown with, if there is a newer one; else "".
	Shown string
	// Lost names the creation that became of the form, if its answer got lost; else "".
	Lost string

	storedPackage
	stale   bool // a program has changed the package since its form was stored
	written bool // the platform was changed since stored was read
}

// LoadOptions says how a draft is read.
type LoadOptions struct {
	// Newest makes the form of what a program has made of the package since it was stored, if
	// one has.
	Newest bool
	// Reminders asks for reminders also where the stored form has none.
	Reminders bool
}

// Load returns the package with that id. The caller checks who can see it.
func (s *Service) Load(ctx context.Context, id string, how LoadOptions) (*Draft, error) {
	at, err := s.readStored(ctx, id)
	if err != nil {
		return nil, err
	}
	d := &Draft{storedPackage: at, Sent: at.Status != signing.StatusDraft, Template: at.IsTemplate()}
	var known bool
	if d.Form, known = s.Keys.open(at.Countersign.Form); !known {
		d.Form = at.form(0)
	}
	d.Form.at = at.origin
	d.Form.readAsked(at)
	if d.Sent {
		d.Form.Page = at.Countersign.SendToken
		return d, nil
	}
	if err = s.loadSending(ctx, d, how); err != nil {
		return nil, err
	}
	return d, s.measureAll(ctx, d)
}

// loadSending completes a form that does not say how the package is sent, because it was
// not stored or is older than that, and compares any other with the package.
func (s *Service) loadSending(ctx context.Context, d *Draft, how LoadOptions) (err error) {
	known := d.Form.Language != ""
	d.stale = known && d.Form.Base != "" && d.Form.Base != d.digest(d.shown())
	fromPackage := d.stale && how.Newest
	at := d.Form.Reminded
	if how.Reminders || !known || fromPackage || d.Form.remindersTyped() != noReminders {
		if at, err = s.Platform.Reminders(ctx, d.ID); err != nil {
			return err
		}
	}
	switch {
	case !known:
		d.Form.SendOptions = d.sendingOf(at, s.Now(), "")
	case fromPackage:
		d.fromPackage(at, s.Now())
	default:
		d.Form.followReminders(at)
	}
	if d.stale && !fromPackage {
		d.matchDocuments()
	}
	d.Form.identify()
	return nil
}

// Creation is a form that becomes a draft.
type Creation struct {
	// Owner is the user who creates it; Once identifies a form that is submitted twice, or
	// again after the answer got lost.
	Owner, Once string
	// OwnerName is the display name of the owner's account; "" if it has none.
	OwnerName string
	// Untitled is the name of a package that has none yet.
	Untitled string
	Form     Form
}

// Create creates a draft from a form without documents, and returns its id. The same form
// again returns the same draft, and again is true; find looks for the one of a mark that was
// made since then, as service.Service.FindMade does.
func (s *Service) Create(ctx context.Context, c Creation, find Finder) (id string, again bool, err error) {
	request := idempotency.Request{
		Person: c.Owner, Key: c.Once, Method: http.MethodPost, Path: "/packages/new", ContentType: "text/plain", Body: strings.NewReader(""),
	}
	answer, again, err := s.Once.Do(ctx, request, idempotency.Work{
		Send: func(ctx context.Context, attempt *idempotency.Attempt) (idempotency.Answer, error) {
			if err := attempt.Commit(); err != nil {
				return idempotency.Answer{}, err
			}
			id, err := s.create(ctx, c, attempt.Token())
			attempt.Responded(err)
			return idempotency.Answer{Status: http.StatusOK, Body: []byte(id)}, err
		},
		Find: func(ctx context.Context, mark string, since time.Time) (idempotency.Answer, bool, error) {
			id, found, err := find(ctx, mark, since)
			return idempotency.Answer{Status: http.StatusOK, Body: []byte(id)}, found, err
		},
	})
	return string(answer.Body), again, err
}

// Finder looks for the package that bears the mark of a key; ok is false where there is none.
type Finder func(ctx context.Context, mark string, since time.Time) (id string, ok bool, err error)

func (s *Service) create(ctx context.Context, c Creation, mark string) (string, error) {
	form, err := s.Keys.seal(c.Form)
	if err != nil {
		return "", err
	}
	kept, err := json.Marshal(signing.CountersignData{Owner: c.Owner, OwnerName: c.OwnerName, Key: mark, Form: form})
	if err != nil {
		return "", err
	}
	return s.Platform.NewDraft(ctx, nameOf(c.Form, c.Untitled), kept)
}

// nameOf returns the package's name for the platform.
func nameOf(f Form, untitled string) string {
	const most = 255
	if name := []rune(f.Title()); len(name) > 0 {
		return string(name[:min(len(name), most)])
	}
	return untitled
}

// Keep stores the form with the draft, whatever is wrong with it. For a stale draft it
// changes nothing else.
func (s *Service) Keep(ctx context.Context, d *Draft, untitled string) error {
	if err := s.renew(ctx, d); err != nil {
		return err
	}
	if d.stale {
		return s.keep(ctx, d, map[string]any{})
	}
	changes, is := d.changes(nameOf(d.Form, untitled), s.Now(), false)
	d.Form.Base = d.digest(is)
	return s.keep(ctx, d, changes)
}

// keep stores the form together with other changes of the package.
func (s *Service) keep(ctx context.Context, d *Draft, changes map[string]any) (err error) {
	kept := d.Countersign
	kept.Form, kept.SendToken, kept.Proofs = "", "", d.Form.asked(kept.Proofs)
	d.Form.Revision++
	defer func() {
		if err != nil {
			d.Form.Revision-- // it was not stored
		}
	}()
	if changes["status"] != nil {
		kept.SendToken = d.Form.Page
	} else if kept.Form, err = s.Keys.seal(d.Form); err != nil {
		return err
	}
	data, err := d.WithCountersign(kept)
	if err != nil {
		return err
	}
	maps.Copy(changes, data)
	return s.Platform.Change(ctx, d.ID, changes)
}

// Attach adds a document with its file to the draft, and finds the form fields in it.
func (s *Service) Attach(ctx context.Context, d *Draft, name string, file *io.SectionReader) error {
	switch {
	case s.Limits.TooMany(len(d.Form.Documents) + 1):
		return fault.Invalid(fault.Field{Pointer: "files", Detail: signing.TooManyDocuments})
	case s.Limits.TooLarge(file.Size()):
		return fault.Invalid(fault.Field{Pointer: "files", Detail: signing.TooLargeDocument})
	}
	found, err := s.look(ctx, file)
	if err != nil {
		return err
	}
	d.written = true
	made, err := s.Platform.AddDocument(ctx, d.ID, signing.Document{Name: fileName(name), Index: len(d.Form.Documents) + 1}, file)
	if invalid := fault.From(err); err != nil && invalid.Key == fault.RequestInvalid {
		return fault.Invalid(fault.Field{Pointer: "files", Detail: invalid.Fields[0].Detail})
	}
	if err != nil {
		return err
	}
	added := documentOf(made)
	added.Size = file.Size()
	d.Form.AddDocument(added)
	if len(found.Pages) > 0 {
		d.Form.measure(len(d.Form.Documents)-1, pagesOf(found))
	}
	d.Form.addFound(found)
	return nil
}
