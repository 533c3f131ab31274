package signing

import (
	"math"
	"slices"

	"countersign/internal/payload"
)

// CheckApproval applies the rules for adding an approval to a document.
func CheckApproval(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.addStored(nil)
		r.keepFields(replacesNothing)
		r.approval(v, false, true)
	})
}

// CheckApprovals applies the rules for replacing all approvals of a document.
func CheckApprovals(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v payload.Value) {
		r.addStored(nil)
		r.within("documents", c.Field.Document, "approvals")
		r.keepFields(func(document, _ string) bool { return document == c.Field.Document })
		for approval := range v.Elements() {
			r.approval(approval, false, true)
		}
	})
}

// CheckApprovalUpdate applies the rules for updating an approval.
func CheckApprovalUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.addStored(nil)
		r.within("documents", c.Field.Document, "approvals", c.Field.Approval)
		o, _ := v.Object()
		r.keepFields(func(document, approval string) bool {
			return document == c.Field.Document && approval == c.Field.Approval && o.Has("fields")
		})
		r.approval(v, false, false)
	})
}

// CheckField applies the rules for adding a field to an approval.
func CheckField(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.keepFields(replacesNothing)
		r.countField(v)
		r.field(v, false)
		o, _ := v.Object()
		r.signsOnce(o, r.Package, c.Field)
	})
}

// CheckFieldUpdate applies the rules for updating the field that the path names.
func CheckFieldUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) { r.fieldUpdate(v) })
}

func (r *rules) fieldUpdate(v payload.Value) {
	at := r.Field
	r.within("documents", at.Document, "approvals", at.Approval, "fields", at.Field)
	r.field(v, false)
	o, _ := v.Object()
	r.fitsStored(o, r.Package.field(at))
	r.signsOnce(o, r.Package, at)
}

// CheckConditionalField applies the rules for updating a field with its conditions.
func CheckConditionalField(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.fieldUpdate(v)
		o, _ := v.Object()
		r.countConditions(o)
	})
}

// signsOnce notes that the field would become a second signature of its approval.
func (r *rules) signsOnce(o payload.Object, stored *Package, path FieldPath) {
	if o.StringOrEmpty("type") == signature && stored.signedBy(path) {
		o.Note("type", "field.second-signature")
	}
}

// fitsStored notes a new type or subtype that does not fit the stored other one.
func (r *rules) fitsStored(o payload.Object, stored Field) {
	kind, subtype := o.StringOrEmpty("type"), o.StringOrEmpty("subtype")
	_, known := subtypes[kind]
	retyped := known && !o.Has("subtype") && kind != stored.Type && stored.Subtype != "" && !fits(kind, stored.Subtype)
	resubtyped := subtype != "" && !o.Has("type") && !fits(stored.Type, subtype)
	if retyped || resubtyped {
		o.Note("subtype", "field.subtype")
	}
}

// approval checks an approval: its role exists, and it has at most one signature.
// extracting says that positions can be taken from the file.
func (r *rules) approval(v payload.Value, extracting, created bool) {
	o, ok := v.Object()
	if !ok {
		return
	}
	r.id(o)
	if created {
		r.countApproval(v)
	}
	role, given := o.Text("role")
	switch {
	case !o.Has("role") && created:
		o.Note("role", "field.required")
	case given && !r.roles[role]:
		o.Note("role", "field.role")
	}
	o.OptionalStrings("name")
	r.onLine(o, "name")
	signatures, count := 0, 0
	fields, _ := o.Member("fields")
	for field := range o.Elements("fields") {
		r.countField(fields)
		if count++; count > maxEntries {
			r.fieldLists[fields.Pointer()] = true
		}
		if r.field(field, extracting) == signature {
			signatures++
			if signatures == 2 {
				field.Note("field.second-signature")
			}
		}
	}
}

// bindings are the values that a field can show of a signer or a signature.
var bindings = []string{"{approval.signed}", "{signer.title}", "{signer.name}", "{signer.company}"}

// field checks one field and returns its type.
func (r *rules) field(v payload.Value, extracting bool) (kind string) {
	o, ok := v.Object()
	if !ok {
		return ""
	}
	r.id(o)
	kind, subtype := r.kinds(o)
	indexes(o, "page")
	for _, name := range []string{"top", "left", "width", "height"} {
		if n, ok := o.Number(name); ok && n < 0 {
			o.Note(name, "field.negative")
		}
	}
	o.Booleans("extract")
	o.Text("binding", bindings...)
	o.OptionalStrings("name")
	if !o.Is("extract") {
		r.onLine(o, "name")
	} else { // that names a field of the file
		r.verbatim[o.Pointer()+"/name"] = true
	}
	r.onLine(o, "group")
	if subtype == "CUSTOMFIELD" {
		o.NonEmpty("name")
	}
	r.placed(o, extracting)
	r.validation(o, subtype)
	return kind
}

// signature is the type of fields that are signed.
const signature = "SIGNATURE"

// subtypes are the subtypes of each type of field; anySubtypes fit all types.
var (
	subtypes = map[string][]string{
		signature: {"FULLNAME", "INITIALS", "CAPTURE", "MOBILE_CAPTURE", "CAPTURE_MOBILE", "RAW_CAPTURE", "CHOOSE_SIGNATURE", "CHOOSE_INITIALS"},
		"INPUT":   {"LABEL", "TEXTFIELD", "TEXTAREA", "CHECKBOX", "DATE", "DATEPICKER", "RADIO", "LIST", "CUSTOMFIELD"},
		"IMAGE":   {},
	}
	anySubtypes = []string{"QRCODE", "SEAL"}
)

// kinds checks a type and a subtype, and that they fit.
func (r *rules) kinds(o payload.Object) (kind, subtype string) {
	kind, _ = o.Text("type", signature, "INPUT", "IMAGE")
	subtype, given := o.Text("subtype")
	if given && !fits(kind, subtype) {
		o.Note("subtype", "field.subtype")
	}
	return kind, subtype
}

// fits reports whether a field of type kind can have subtype; for an unknown kind,
// whether any type can.
func fits(kind, subtype string) bool {
	if slices.Contains(anySubtypes, subtype) {
		return true
	}
	if own, known := subtypes[kind]; known {
		return slices.Contains(own, subtype)
	}
	return slices.Contains(subtypes[signature], subtype) || slices.Contains(subtypes["INPUT"], subtype)
}

// placed checks that a field has at most one placement: by a form field of the file, by
// an anchor, or by coordinates.
func (r *rules) placed(o payload.Object, extracting bool) {
	extract, anchored := o.Is("extract"), o.Has("extractAnchor")
	top, _ := o.Number("top")
	left, _ := o.Number("left")
	coordinates := top != 0 || left != 0
	switch {
	case anchored && (extract || coordinates):
		o.Note("extractAnchor", "field.placement")
	case extract && coordinates:
		o.Note("extract", "field.placement")
	case extract && !extracting:
		o.Note("extract", "field.extract")
	}
	if extract {
		o.NonEmpty("name")
	}
	if v, ok := o.Member("extractAnchor"); ok {
		if anchor, ok := v.Object(); ok {
			r.anchor(anchor)
		}
	}
}

// anchor checks a text in the document next to which a field is placed.
func (r *rules) anchor(o payload.Object) {
	o.NonEmpty("text")
	r.verbatim[o.Pointer()+"/text"] = true
	indexes(o, "index", "characterIndex")
	o.Text("anchorPoint", "TOPLEFT", "TOPRIGHT", "BOTTOMLEFT", "BOTTOMRIGHT")
	for _, name := range []string{"width", "height"} {
		if n, ok := o.Number(name); ok && n <= 0 {
			o.Note(name, "field.positive")
		}
	}
	o.Number("leftOffset")
	o.Number("topOffset")
}

// indexes checks that the members, if present, are whole numbers from zero on that an int64
// holds.
func indexes(o payload.Object, names ...string) {
	for _, name := range names {
		if n, ok := o.Whole(name); ok && n >= math.MaxInt64 {
			o.Note(name, "field.count")
		}
	}
}
