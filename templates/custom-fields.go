package templates

import (
	"io"
	"net/url"
	"strconv"
)

// CustomFieldsPath is where the custom fields of the account are.
const CustomFieldsPath = "/custom-fields"

// CustomFields is "/custom-fields". Its forms post urlencoded there: editing, id, value,
// required, and for each translation language and name.
//
//	action=save             asks where that would take another one's place
//	action=overwrite        takes it
//	action=add-translation  one more row
//	action=delete           id
//
// Forms open by GET: ?new=yes, ?edit={id}, ?delete={id}.
type CustomFields struct {
	Common
	Fields []CustomField
	// Form is the one that is open; nil for none.
	Form *CustomFieldForm
	// Unlisted says that it is not known now which there are: the form is shown alone.
	Unlisted bool
	// Ticket is whose page it is, for what they send when they are signed out.
	Ticket string
}

// CustomField is one of the account's.
type CustomField struct {
	ID, Value    string
	Required     bool
	Translations []Translation
}

// Translation is what a field is called in one language, and what is wrong with that.
type Translation struct{ Language, Name, WrongLanguage, WrongName string }

// CustomFieldForm is the form of one.
type CustomFieldForm struct {
	// Editing says that the field is there already, Deleting that it is asked whether to
	// delete it, Overwriting whether to take its place, Added that a row was added.
	Editing, Deleting, Overwriting, Added bool

	ID, Value           string
	WrongID, WrongValue string
	Required            bool
	Translations        []Translation
}

// Name is what to call the field: by its first translation, else by its id.
func (f CustomField) Name() string {
	for _, t := range f.Translations {
		if t.Name != "" {
			return t.Name
		}
	}
	return f.ID
}

// EditPath and DeletePath are where its forms open.
func (f CustomField) EditPath() string {
	return CustomFieldsPath + "?" + url.Values{"edit": {f.ID}}.Encode()
}

// DeletePath is where it is asked whether to delete it.
func (f CustomField) DeletePath() string {
	return CustomFieldsPath + "?" + url.Values{"delete": {f.ID}}.Encode()
}

// First is the id of the input that has the focus: the first that is wrong, else the
// language of the row that was added; "" for none.
func (f CustomFieldForm) First() string {
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

// CustomFields writes "/custom-fields".
func (p *Pages) CustomFields(w io.Writer, page CustomFields) error {
	return p.write(w, "custom-fields", page.Common, page)
}
