package signing

import "slices"

// CheckApproval applies the rules for adding an approval to a document.
func CheckApproval(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.addStored(nil)
		r.keepFields(replacesNothing)
		r.approval(v, false, true)
	})
}

// CheckApprovals applies the rules for replacing all approvals of a document.
func CheckApprovals(p *Payload, c Context) error {
	return p.check(c, "[", func(r *rules, v value) {
		r.addStored(nil)
		r.within("documents", c.Field.Document, "approvals")
		r.keepFields(func(document, _ string) bool { return document == c.Field.Document })
		for approval := range v.elements() {
			r.approval(approval, false, true)
		}
	})
}

// CheckApprovalUpdate applies the rules for updating an approval.
func CheckApprovalUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.addStored(nil)
		r.within("documents", c.Field.Document, "approvals", c.Field.Approval)
		o, _ := v.object()
		r.keepFields(func(document, approval string) bool {
			return document == c.Field.Document && approval == c.Field.Approval && o.has("fields")
		})
		r.approval(v, false, false)
	})
}

// CheckField applies the rules for adding a field to an approval.
func CheckField(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.keepFields(replacesNothing)
		r.countField(v)
		r.field(v, false)
		o, _ := v.object()
		o.signsOnce(r.Package, c.Field)
	})
}

// CheckFieldUpdate applies the rules for updating the field that the path names.
func CheckFieldUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.within("documents", c.Field.Document, "approvals", c.Field.Approval, "fields", c.Field.Field)
		r.field(v, false)
		o, _ := v.object()
		o.fitsStored(r.Package.field(c.Field))
		o.signsOnce(r.Package, c.Field)
	})
}

// signsOnce notes that the field would become a second signature of its approval.
func (o object) signsOnce(stored *Stored, path FieldPath) {
	if o.peek("type") == signature && stored.signedBy(path) {
		o.note("type", "field.second-signature")
	}
}

// fitsStored notes a new type or subtype that does not fit the stored other one.
func (o object) fitsStored(stored storedField) {
	kind, subtype := o.peek("type"), o.peek("subtype")
	_, known := subtypes[kind]
	retyped := known && !o.has("subtype") && kind != stored.Type && stored.Subtype != "" && !fits(kind, stored.Subtype)
	resubtyped := subtype != "" && !o.has("type") && !fits(stored.Type, subtype)
	if retyped || resubtyped {
		o.note("subtype", "field.subtype")
	}
}

// approval checks an approval: its role exists, and it has at most one signature.
// extracting says that positions can be taken from the file.
func (r *rules) approval(v value, extracting, created bool) {
	o, ok := v.object()
	if !ok {
		return
	}
	o.id()
	role, given := o.string("role")
	switch {
	case !o.has("role") && created:
		o.note("role", "field.required")
	case given && !r.roles[role]:
		o.note("role", "field.role")
	}
	o.strings("name")
	signatures := 0
	fields, _ := o.member("fields")
	for field := range o.elements("fields") {
		r.countField(fields)
		if r.field(field, extracting) == signature {
			signatures++
			if signatures == 2 {
				field.note("field.second-signature")
			}
		}
	}
}

// bindings are the values that a field can show of a signer or a signature.
var bindings = []string{"{approval.signed}", "{signer.title}", "{signer.name}", "{signer.company}"}

// field checks one field and returns its type.
func (r *rules) field(v value, extracting bool) (kind string) {
	o, ok := v.object()
	if !ok {
		return ""
	}
	o.id()
	kind, subtype := o.kinds()
	o.indexes("page")
	for _, name := range []string{"top", "left", "width", "height"} {
		if n, ok := o.number(name); ok && n < 0 {
			o.note(name, "field.negative")
		}
	}
	o.booleans("extract")
	o.choice("binding", bindings...)
	o.strings("name")
	if subtype == "CUSTOMFIELD" {
		o.required("name")
	}
	o.placed(extracting)
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
func (o object) kinds() (kind, subtype string) {
	kind = o.choice("type", signature, "INPUT", "IMAGE")
	subtype, given := o.string("subtype")
	if given && !fits(kind, subtype) {
		o.note("subtype", "field.subtype")
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
func (o object) placed(extracting bool) {
	extract, anchored := o.is("extract"), o.has("extractAnchor")
	top, _ := o.number("top")
	left, _ := o.number("left")
	coordinates := top != 0 || left != 0
	switch {
	case anchored && (extract || coordinates):
		o.note("extractAnchor", "field.placement")
	case extract && coordinates:
		o.note("extract", "field.placement")
	case extract && !extracting:
		o.note("extract", "field.extract")
	}
	if extract {
		o.required("name")
	}
	if v, ok := o.member("extractAnchor"); ok {
		if anchor, ok := v.object(); ok {
			anchor.anchor()
		}
	}
}

// anchor checks a text in the document next to which a field is placed.
func (o object) anchor() {
	o.required("text")
	o.indexes("index", "characterIndex")
	o.choice("anchorPoint", "TOPLEFT", "TOPRIGHT", "BOTTOMLEFT", "BOTTOMRIGHT")
	for _, name := range []string{"width", "height"} {
		if n, ok := o.number(name); ok && n <= 0 {
			o.note(name, "field.positive")
		}
	}
	o.number("leftOffset")
	o.number("topOffset")
}
