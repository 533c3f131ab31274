package compose

import (
	"slices"
	"strings"
)

// Step carries out a button of the form: a verb, a colon, and the key of the part that it
// changes. It returns the name of the input or button to focus; ok is false for an
// unknown verb.
func (f *Form) Step(step string) (at string, ok bool) {
	verb, key, _ := strings.Cut(step, ":")
	switch verb {
	case "keep":
		return "", true
	case "add-recipient":
		return f.addedRecipient()
	case "add-field":
		return f.addedField()
	case "up", "down":
		return f.move(verb, key), true
	case "remove":
		return f.remove(key), true
	}
	return "", false
}

// maxRecipients and maxFields limit a form.
const (
	maxRecipients = 50
	maxFields     = 300
)

func (f *Form) addedRecipient() (string, bool) {
	if len(f.Recipients) >= maxRecipients {
		return "add-recipient", true
	}
	return f.AddRecipient() + ".first_name", true
}

// move moves a document or a recipient one place up or down.
func (f *Form) move(verb, key string) string {
	if i := f.documentAt(key); i >= 0 {
		return moved(f.Documents, i, verb, key)
	}
	if i := f.recipientAt(key); i >= 0 {
		return moved(f.Recipients, i, verb, key)
	}
	return ""
}

// moved moves all[i], and returns the button to focus: the same one, or its opposite if
// that is gone.
func moved[T any](all []T, i int, verb, key string) string {
	to := i - 1
	if verb == "down" {
		to = i + 1
	}
	if to < 0 || to >= len(all) {
		return ""
	}
	all[i], all[to] = all[to], all[i]
	switch {
	case to == 0:
		verb = "down"
	case to == len(all)-1:
		verb = "up"
	}
	return verb + "-" + key
}

// remove removes a document, a recipient or a field from the form. A document's fields go
// with it; a removed recipient's fields lose their recipient,
// but for those that a program has set, which go too.
func (f *Form) remove(key string) string {
	if i := f.documentAt(key); i >= 0 {
		f.Documents = slices.Delete(f.Documents, i, i+1)
		f.Fields = slices.DeleteFunc(f.Fields, func(d Field) bool { return d.Document == key })
		return "files"
	}
	if i := f.recipientAt(key); i >= 0 && len(f.Recipients) > 1 {
		f.Recipients = slices.Delete(f.Recipients, i, i+1)
		f.Fields = slices.DeleteFunc(f.Fields, func(d Field) bool { return d.Recipient == key && d.Fixed != "" })
		for j := range f.Fields {
			if f.Fields[j].Recipient == key {
				f.Fields[j].Recipient = ""
			}
		}
		return "add-recipient"
	}
	if i := f.fieldAt(key); i >= 0 && f.Fields[i].Fixed == "" {
		f.Fields = slices.Delete(f.Fields, i, i+1)
		return "add-field"
	}
	return ""
}
