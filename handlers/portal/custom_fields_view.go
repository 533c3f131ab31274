package portal

import (
	"net/url"
	"strconv"

	"countersign/internal/signing"
	"countersign/templates"
)

// customFieldsPath is the path of the account's custom fields.
const customFieldsPath = "/custom-fields"

// customFieldsView is "/custom-fields". Its forms post urlencoded there: editing, id, value,
// required, and for each translation language and name.
//
//	action=save             asks where that would take another one's place
//	action=overwrite        takes it
//	action=add-translation  one more row
//	action=delete           id
//
// Forms open by GET: ?new=yes, ?edit={id}, ?delete={id}.
type customFieldsView struct {
	templates.Common
	Fields []customField
	// Form is the open form; nil if none is.
	Form *customFieldForm
	// Unlisted says that the existing fields could not be read: only the form is shown.
	Unlisted bool
	// Ticket identifies the person who is shown the page, for a form sent after the
	// session ended.
	Ticket string
}

// customField is one of the account's custom fields.
type customField struct{ signing.CustomField }

// translation is the field's name in one language, with the errors of both inputs.
type translation struct{ Language, Name, WrongLanguage, WrongName string }

// customFieldForm is the form of a custom field.
type customFieldForm struct {
	// Editing says that the field exists already, Deleting that the form asks whether to
	// delete it, Overwriting whether to replace another field, and Added that a row was
	// added.
	Editing, Deleting, Overwriting, Added bool

	ID, Value           string
	WrongID, WrongValue string
	Required            bool
	Translations        []translation
}

// Name returns the name to show for the field: its first translation, else its id.
func (f customField) Name() string {
	for _, t := range f.Translations {
		if t.Name != "" {
			return t.Name
		}
	}
	return f.ID
}

// EditPath returns the path of the form that edits the field.
func (f customField) EditPath() string {
	return customFieldsPath + "?" + url.Values{"edit": {f.ID}}.Encode()
}

// DeletePath returns the path of the question whether to delete the field.
func (f customField) DeletePath() string {
	return customFieldsPath + "?" + url.Values{"delete": {f.ID}}.Encode()
}

// First returns the id of the input to focus: the first with an error, else the language
// of the added row; "" if there is neither.
func (f customFieldForm) First() string {
	switch {
	case f.WrongID != "":
		return "id"
	case f.WrongValue != "":
		return "value"
	}
	for i, t := range f.Translations {
		switch row := "-" + strconv.Itoa(i); {
		case t.WrongLanguage != "":
			return "language" + row
		case t.WrongName != "":
			return "name" + row
		}
	}
	if f.Added {
		return "language-" + strconv.Itoa(len(f.Translations)-1)
	}
	return ""
}
