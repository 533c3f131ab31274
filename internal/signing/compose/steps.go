package compose

import (
	"slices"
	"strings"
)

// Step does what a button of the form asks for: a verb, and the key of what it is about,
// with a colon between them. It returns the name of the input or button to go on at;
// false is a step that there is not.
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

// maxRecipients and maxFields are how many a form has at most.
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

// move puts a document or a recipient before or behind its neighbour.
func (f *Form) move(verb, key string) string {
	if i := f.documentAt(key); i >= 0 {
		return moved(f.Documents, i, verb, key)
	}
	if i := f.recipientAt(key); i >= 0 {
		return moved(f.Recipients, i, verb, key)
	}
	return ""
}

// moved moves all[i], and returns the button to go on at: the same, or its opposite
// where it is gone.
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

// remove takes a document, a recipient or a field out of the form, and what depends on
// it. A found field stays and is nobody's.
func (f *Form) remove(key string) string {
	if i := f.documentAt(key); i >= 0 {
		f.Documents = slices.Delete(f.Documents, i, i+1)
		f.Fields = slices.DeleteFunc(f.Fields, func(d Field) bool { return d.Document == key })
		return "files"
	}
	if i := f.recipientAt(key); i >= 0 && len(f.Recipients) > 1 {
		f.Recipients = slices.Delete(f.Recipients, i, i+1)
		for j := range f.Fields {
			if f.Fields[j].Recipient == key {
				f.Fields[j].Recipient = ""
			}
		}
		return "add-recipient"
	}
	if i := f.fieldAt(key); i >= 0 {
		f.Fields = slices.Delete(f.Fields, i, i+1)
		return "add-field"
	}
	return ""
}
