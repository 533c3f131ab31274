package compose

import (
	"slices"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Request is a file that a recipient is asked for. Without a name nothing is asked for.
type Request struct {
	ID       string `json:"id,omitzero"` // the platform's
	Name     string `json:"name,omitzero"`
	About    string `json:"about,omitzero"`
	Required bool   `json:"required,omitzero"`
}

// take takes over what was typed for the file, by the inputs that begin with prefix.
func (q *Request) take(typed map[string]string, prefix string) {
	if _, ok := typed[prefix+"file_name"]; !ok {
		return
	}
	q.Name, q.About = keepUnchanged(q.Name, typed[prefix+"file_name"]), keepUnchanged(q.About, typed[prefix+"file_about"])
	q.Required = typed[prefix+"file_required"] != ""
}

// files returns what the recipient is asked for as the platform has it; nil for nothing. The
// files that the package already asked for beyond the one of the form stay.
func (r Recipient) files() (all []signing.RequestedFile) {
	if q := r.Request; q.Name != "" {
		id := q.ID
		if id == "" {
			id = r.roleID() + "-file"
		}
		all = append(all, signing.RequestedFile{ID: id, Name: q.Name, Description: q.About, Required: q.Required})
	}
	return append(all, r.Others...)
}

// readFiles takes over what a role is asked for.
func (r *Recipient) readFiles(files []signing.RequestedFile) {
	if len(files) == 0 {
		return
	}
	first := files[0]
	r.Request = Request{ID: first.ID, Name: first.Name, About: first.Description, Required: first.Required}
	r.Others = slices.Clone(files[1:])
}

// nameless returns the violation of a file that is described or required and has no name.
func (r Recipient) nameless() (fields []fault.Field) {
	if q := r.Request; q.Name == "" && (q.About != "" || q.Required) {
		fields = append(fields, fault.Field{Pointer: r.Key + ".file_name", Detail: "field.empty"})
	}
	return fields
}
