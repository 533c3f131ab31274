package signing

import (
	"strings"
)

// CheckDocuments applies the rules for adding one document, or several, to a package.
func CheckDocuments(p *Payload, c Context) error {
	return p.check(c, "{[", func(r *rules, v value) {
		r.addStored(nil)
		given := one(v)
		if v.text.Kind() == '[' {
			given = v.elements()
		}
		r.keepFields(replacesNothing)
		for document := range given {
			r.document(document)
		}
		r.countDocuments(v, given)
		r.filesCome("")
	})
}

// CheckDocumentUpdate applies the rules for updating a document. Its file may be sent
// along.
func CheckDocumentUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		r.addStored(nil)
		r.payload.optional = true
		r.within("documents", c.Field.Document)
		o, _ := v.object()
		r.keepFields(func(document, _ string) bool { return document == c.Field.Document && o.has("approvals") })
		r.document(v)
	})
}

// documents checks the documents of a package.
func (r *rules) documents(o object) {
	replaced := map[string]bool{}
	for v := range o.elements("documents") {
		if v.text.Kind() == '{' {
			document, _ := v.object()
			replaced[document.peek("id")] = document.has("approvals")
		}
	}
	r.keepFields(func(document, _ string) bool { return replaced[document] })
	if list, ok := o.member("documents"); ok {
		r.countDocuments(list, o.elements("documents"))
	}
	for document := range o.elements("documents") {
		r.document(document)
	}
	if r.created {
		r.filesCome(o.pointer + "/documents")
	}
}

// filesCome notes that documents lack their file if files can no longer be sent along.
func (r *rules) filesCome(list string) {
	r.payload.list = list
	if !r.payload.attached && len(r.payload.files) > 0 {
		r.note(list, "field.files")
	}
}

// IsPathWord reports whether the platform's paths have word in the place of a document's
// id, so that no document has that id.
func IsPathWord(word string) bool {
	switch word {
	case "signed_documents", "signConfirm", "visibility", "zip", "approvals":
		return true
	}
	return false
}

func (r *rules) document(v value) {
	o, ok := v.object()
	if !ok {
		return
	}
	if IsPathWord(o.id()) {
		o.note("id", "field.id-reserved")
	}
	o.sized("name")
	if strings.ContainsAny(o.peek("name"), "*/\\:<>|?\"") {
		o.note("name", "field.document-name")
	}
	o.booleans("extract")
	extracting := r.file(o) && o.is("extract")
	for approval := range o.elements("approvals") {
		r.approval(approval, extracting, true)
	}
}

// file reports whether the document's file is sent: in base64, or beside the payload,
// unless it is stored elsewhere.
func (r *rules) file(o object) bool {
	if content, ok := o.string("base64Content"); ok {
		r.contents[o.pointer+"/base64Content"] = true
		if content != "" {
			o.note("base64Content", content)
		}
		return true
	}
	if o.has("external") || o.has("base64Content") {
		return false
	}
	r.payload.files = append(r.payload.files, o.pointer)
	return r.payload.attached
}
