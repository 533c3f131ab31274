package templates

// entry is one input of the form for a new verification.
type entry struct {
	Name, Typed, Wrong string
	// First says that it is the first input with an error.
	First bool
}

// newVerificationFields are the fields of the form, in order.
var newVerificationFields = []string{"first_name", "last_name", "email", "phone", "dob", "country", "document"}

// Entry returns the input of that name.
func (v View) Entry(name string) entry {
	page, _ := v.Page.(NewVerification)
	e := entry{Name: name, Typed: page.Typed[name], Wrong: page.Wrong[name]}
	for _, field := range newVerificationFields {
		if page.Wrong[field] != "" {
			e.First = field == name
			break
		}
	}
	return e
}

var entryLabels = map[string]string{
	"first_name": "page.verification-new.first-name",
	"last_name":  "page.verification-new.last-name",
	"email":      "page.verification-new.email",
	"phone":      "page.verification-new.phone",
	"dob":        "page.verification-new.dob",
	"country":    "page.verification-new.country",
	"document":   "page.verification-new.document",
}

// LabelID returns the message id of its label.
func (e entry) LabelID() string { return entryLabels[e.Name] }

// HintID returns the message id of its hint, or "".
func (e entry) HintID() string {
	if e.Name == "phone" {
		return "page.verification-new.phone-hint"
	}
	return ""
}

// Type returns its HTML input type.
func (e entry) Type() string {
	switch e.Name {
	case "email":
		return "email"
	case "phone":
		return "tel"
	case "dob":
		return "date"
	}
	return "text"
}

// Required reports whether the input must be filled in.
func (e entry) Required() bool { return e.Name == "first_name" || e.Name == "last_name" }
