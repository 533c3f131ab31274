package compose

import (
	"slices"
)

// identify finds out which fields of the platform those of the form have become that came
// from no platform: the one of that name and kind of the same recipient in the document.
func (f *Form) identify() {
	claimed := map[[2]string]bool{}
	for _, d := range f.Fields {
		claimed[[2]string{d.From, d.ID}] = true
	}
	for i, d := range f.Fields {
		document := f.documentAt(d.Document)
		recipient := f.recipientAt(d.Recipient)
		if _, _, known := f.at.field(d.From, d.ID); known || d.Fixed != "" || document < 0 || recipient < 0 {
			continue
		}
		id := f.Documents[document].ID
		wanted := d.draft(f.Documents[document].scale())
		for _, a := range f.at.documents[id] {
			at := slices.IndexFunc(a.fields, func(at originField) bool {
				return !claimed[[2]string{id, at.ID}] && at.Name == wanted.Name && at.Type == wanted.Type && at.Subtype == wanted.Subtype
			})
			if a.role != f.Recipients[recipient].roleID() || at < 0 {
				continue
			}
			f.Fields[i].From, f.Fields[i].ID = id, a.fields[at].ID
			claimed[[2]string{id, a.fields[at].ID}] = true
			break
		}
	}
}
