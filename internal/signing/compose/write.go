package compose

import (
	"bytes"
	"context"
	"io"
	"slices"
	"time"

	"countersign/internal/fault"
	"countersign/internal/pdf"
	"countersign/internal/signing"
)

// missing returns violations for the inputs that must be filled in before the package can
// be sent.
func (f *Form) missing() (fields []fault.Field) {
	if len(f.Documents) == 0 {
		fields = append(fields, fault.Field{Pointer: "files", Detail: "field.document-needed"})
	}
	for _, d := range f.Fields {
		if d.Found == "" && d.Fixed == "" && f.recipientAt(d.Recipient) < 0 {
			fields = append(fields, fault.Field{Pointer: d.Key + ".recipient", Detail: "field.required"})
		}
	}
	for _, r := range f.Recipients {
		fields = append(fields, r.nameless()...)
	}
	return fields
}

// Send sends the package to its signers as the form describes it. On violations nothing
// is sent: request.invalid, with the names of the inputs as pointers.
func (s *Service) Send(ctx context.Context, d *Draft) error {
	c := d.Form.compose(signing.StatusSent)
	if err := d.Form.sendable(c, s.rules(d), s.Now()); err != nil {
		return err
	}
	if err := s.write(ctx, d, c); err != nil {
		return err
	}
	changes, _ := d.changes(c.Name, s.Now(), true)
	changes["status"] = signing.StatusSent
	return s.keep(ctx, d, changes)
}

// Sendable returns Send's violations for a form without a draft.
func (s *Service) Sendable(f *Form) error {
	return f.sendable(f.compose(signing.StatusSent), signing.Context{Limits: s.Limits, Production: s.Production}, s.Now())
}

// Savable returns Save's violations for a form without a draft.
func (s *Service) Savable(f *Form) error {
	err := f.savable(f.compose(signing.StatusDraft), signing.Context{Limits: s.Limits, Production: s.Production}, s.Now())
	if wrong := fault.From(err); err != nil && wrong.Key == fault.RequestInvalid {
		err = nil
		if said := f.withoutMissing(wrong.Fields); len(said) > 0 {
			err = fault.Invalid(said...)
		}
	}
	return err
}

func (f *Form) sendable(c composition, rules signing.Context, now time.Time) error {
	return joined(c.check(rules), slices.Concat(f.missing(), f.invalidInputs(), f.invalid(now)))
}

func (f *Form) savable(c composition, rules signing.Context, now time.Time) error {
	return joined(c.check(rules), slices.Concat(f.invalidInputs(), f.invalid(now)))
}

// Save writes the form to the draft. Violations are request.invalid. While inputs are
// only missing, it stores the form alone and returns no error.
func (s *Service) Save(ctx context.Context, d *Draft, untitled string) error {
	c := d.Form.compose(signing.StatusDraft)
	err := d.Form.savable(c, s.rules(d), s.Now())
	if wrong := fault.From(err); err != nil && wrong.Key == fault.RequestInvalid {
		if said := d.Form.withoutMissing(wrong.Fields); len(said) > 0 {
			return fault.Invalid(said...)
		}
		return s.Keep(ctx, d, untitled) // incomplete inputs cannot be put into the draft yet
	}
	if err != nil {
		return err
	}
	if err := s.write(ctx, d, c); err != nil {
		return err
	}
	return s.Keep(ctx, d, untitled)
}

// rules returns the rules for a form that replaces the contents of the draft.
func (s *Service) rules(d *Draft) signing.Context {
	return signing.Context{Limits: s.Limits, Production: s.Production, Replaces: &d.Package}
}

// withoutMissing returns the violations that are not about empty inputs.
func (f *Form) withoutMissing(fields []fault.Field) []fault.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(v fault.Field) bool { return v.Detail == "field.required" || v.Detail == "field.empty" })
}

// joined returns err together with further violations, in one request.invalid; nil if
// there are none.
func joined(err error, more []fault.Field) error {
	if len(more) == 0 {
		return err
	}
	if err == nil {
		return fault.Invalid(more...)
	}
	if found := fault.From(err); found.Key == fault.RequestInvalid {
		return fault.Invalid(slices.Concat(more, found.Fields)...)
	}
	return err
}

// write updates the draft to the form, as far as they differ: its documents, its roles, its
// reminders, the order of its documents and their approvals.
func (s *Service) write(ctx context.Context, d *Draft, c composition) error {
	if err := s.Prune(ctx, d); err != nil {
		return err
	}
	if err := s.writeRoles(ctx, d, c.Roles); err != nil {
		return err
	}
	if err := s.writeReminders(ctx, d); err != nil {
		return err
	}
	var ids, before []string
	for _, document := range c.Documents {
		ids = append(ids, document.ID)
	}
	for _, document := range d.Documents {
		before = append(before, document.ID)
	}
	if !slices.Equal(ids, before) && len(ids) > 0 {
		d.written = true
		if err := s.Platform.OrderDocuments(ctx, d.ID, ids); err != nil {
			return err
		}
	}
	for i, document := range c.Documents {
		if err := s.writeApprovals(ctx, d, document, c.arrangements[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeReminders updates the reminders of the draft if others were typed; the platform takes
// them before the package is sent.
func (s *Service) writeReminders(ctx context.Context, d *Draft) error {
	wanted := d.Form.reminders()
	if wanted == d.Form.Reminded {
		return nil
	}
	at, err := s.Platform.Reminders(ctx, d.ID)
	if err == nil && at != wanted {
		err = s.Platform.SetReminders(ctx, d.ID, at, wanted)
	}
	if err == nil {
		d.Form.Reminded = wanted
	}
	return err
}

func (s *Service) writeRoles(ctx context.Context, d *Draft, roles []signing.RoleChange) error {
	for _, r := range d.roles {
		if !slices.ContainsFunc(roles, func(of signing.RoleChange) bool { return of.ID == r.ID }) {
			d.written = true
			if err := s.Platform.RemoveRole(ctx, d.ID, r.ID); err != nil {
				return err
			}
		}
	}
	for _, r := range roles {
		at, known := d.role(r.ID)
		switch changes := at.changes(r); {
		case !known:
			d.written = true
			if err := s.Platform.AddRole(ctx, d.ID, r); err != nil {
				return err
			}
		case len(changes) > 0:
			d.written = true
			if err := s.Platform.ChangeRole(ctx, d.ID, r.ID, changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// changeRole changes a role of a package to r.
func (s *Service) changeRole(ctx context.Context, id string, at originRole, r signing.RoleChange) error {
	changes := at.changes(r)
	if len(changes) == 0 {
		return nil
	}
	return s.Platform.ChangeRole(ctx, id, at.ID, changes)
}

// writeApprovals writes the approvals of a document if they differ. If a field moves to a form field
// or an anchor, the file is sent again, since only then the platform finds it.
func (s *Service) writeApprovals(ctx context.Context, d *Draft, document signing.Document, becomes arrangement) error {
	if !becomes.changed {
		return nil
	}
	d.written = true
	if !becomes.placed {
		return s.Platform.SetApprovals(ctx, d.ID, document.ID, becomes.values())
	}
	file, err := s.Platform.Original(ctx, d.ID, document.ID)
	if err != nil {
		return err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	if err := s.findAnchors(ctx, d, document, content); err != nil {
		return err
	}
	i := slices.IndexFunc(d.Documents, func(at signing.Document) bool { return at.ID == document.ID })
	document.Extract = document.Extract || i >= 0 && d.Documents[i].Extract
	_, err = s.Platform.ReplaceDocument(ctx, d.ID, document, becomes.values(), bytes.NewReader(content))
	return err
}

// findAnchors refuses anchors whose text is nowhere in the file.
func (s *Service) findAnchors(ctx context.Context, d *Draft, document signing.Document, content []byte) error {
	var anchors []pdf.Anchor
	var keys []string
	for _, field := range d.Form.Fields {
		if i := d.Form.documentAt(field.Document); field.Anchor != "" && field.Recipient != "" && d.Form.Documents[i].ID == document.ID && !d.Form.untouched(field) {
			anchors, keys = append(anchors, pdf.Anchor{Text: field.Anchor, Index: field.index()}), append(keys, field.Key)
		}
	}
	if len(anchors) == 0 || s.PDF == nil || !bytes.Contains(content[:min(len(content), pdfHeadSize)], pdfHead) {
		return nil
	}
	found, err := s.read(ctx, content, anchors)
	if err != nil {
		return err
	}
	var fields []fault.Field
	for i, place := range found.Places {
		if !place.Found {
			fields = append(fields, fault.Field{Pointer: keys[i] + ".anchor", Detail: "field.anchor"})
		}
	}
	if len(fields) > 0 {
		return fault.Invalid(fields...)
	}
	return nil
}

// Prune removes from the draft the documents that the form does not have: those that were
// removed from it, and what became of an upload whose answer got lost.
func (s *Service) Prune(ctx context.Context, d *Draft) error {
	for _, at := range slices.Clone(d.Documents) {
		if slices.ContainsFunc(d.Form.Documents, func(document Document) bool { return document.ID == at.ID }) {
			continue
		}
		d.written = true
		if err := s.Platform.RemoveDocument(ctx, d.ID, at.ID); err != nil {
			return err
		}
		d.Documents = slices.DeleteFunc(d.Documents, func(one signing.Document) bool { return one.ID == at.ID })
	}
	return nil
}
