package signing

import (
	"strconv"
	"strings"

	"countersign/internal/payload"
)

// CheckDocuments applies the rules for adding one document, or several, to a package.
func CheckDocuments(p *Payload, c Context) error {
	return p.check(c, "{[", func(r *rules, v payload.Value) {
		r.addStored(nil)
		given := one(v)
		if v.Kind() == '[' {
			given = v.Elements()
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
	return p.check(c, "{", func(r *rules, v payload.Value) {
		r.addStored(nil)
		r.payload.optional = true
		r.within("documents", c.Field.Document)
		o, _ := v.Object()
		r.keepFields(func(document, _ string) bool { return document == c.Field.Document && o.Has("approvals") })
		r.document(v)
	})
}

// documents checks the documents of a package.
func (r *rules) documents(o payload.Object) {
	replaced := map[string]bool{}
	for v := range o.Elements("documents") {
		if v.Kind() == '{' {
			document, _ := v.Object()
			replaced[document.StringOrEmpty("id")] = document.Has("approvals")
		}
	}
	r.keepFields(func(document, _ string) bool { return replaced[document] })
	if list, ok := o.Member("documents"); ok {
		r.countDocuments(list, o.Elements("documents"))
	}
	for document := range o.Elements("documents") {
		r.document(document)
	}
	if r.created {
		r.filesCome(o.Pointer() + "/documents")
	}
}

// filesCome notes that documents lack their file if files can no longer be sent along.
func (r *rules) filesCome(list string) {
	r.payload.list = list
	if !r.payload.attached && len(r.payload.files) > 0 {
		r.Note(list, "field.files")
	}
}

// IsPathWord reports whether the platform's paths have word in the place of a document's
// id, so that no document has that id.
func IsPathWord(word string) bool {
	switch word {
	case "signed_documents", "signConfirm", "visibility", "zip", "approvals", "localize-consent":
		return true
	}
	return false
}

func (r *rules) document(v payload.Value) {
	o, ok := v.Object()
	if !ok {
		return
	}
	if IsPathWord(r.id(o)) {
		o.Note("id", "field.id-reserved")
	}
	r.documentName(o)
	o.Booleans("extract")
	extracting := r.file(o) && o.Is("extract")
	for approval := range o.Elements("approvals") {
		r.approval(approval, extracting, true)
	}
}

func (r *rules) documentName(o payload.Object) {
	r.sized(o, "name")
	if strings.ContainsAny(o.StringOrEmpty("name"), "*/\\:<>|?\"") {
		r.noteBound(o.Pointer()+"/name", "field.document-name")
	}
}

// file reports whether the document's file is sent: in base64, or beside the payload,
// unless it is stored elsewhere.
func (r *rules) file(o payload.Object) bool {
	if content, ok := o.Text("base64Content"); ok {
		r.contents[o.Pointer()+"/base64Content"] = true
		size, err := strconv.ParseInt(content, 10, 64)
		switch {
		case err != nil:
			o.Note("base64Content", content)
		case r.TooLarge(size):
			o.Note("base64Content", TooLargeDocument)
		}
		return true
	}
	if o.Has("external") || o.Has("base64Content") {
		return false
	}
	r.payload.files = append(r.payload.files, o.Pointer())
	return r.payload.attached
}
