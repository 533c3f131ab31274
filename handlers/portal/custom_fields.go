package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/signing"
)

var customFieldsTemplate = page.For[customFieldsView]("custom-fields")

// customFieldsPage is the page on which operators edit the account's custom fields.
type customFieldsPage struct{ Packages }

func (p customFieldsPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/custom-fields", Permit: p.operators, Serve: p.get},
		{Method: http.MethodPost, Path: "/custom-fields", KeepExpired: p.Recovery.KeepExpired, Permit: p.operators, Serve: p.post},
	}
}

// operators admits operators only.
func (p customFieldsPage) operators(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err == nil {
		err = p.Service.Operators(who)
	}
	return err
}

// get answers GET /custom-fields: the list, or the form of one custom field.
func (p customFieldsPage) get(c *gin.Context) error {
	if form := p.Recovery.RestoredForm(c); form != nil {
		return p.show(c, readCustomField(form), nil)
	}
	id, asked := c.GetQuery("edit")
	if !asked {
		id, asked = c.GetQuery("delete")
	}
	if !asked {
		var form *customFieldForm
		if c.Query("new") != "" {
			form = &customFieldForm{Translations: []translation{{Language: "en"}}}
		}
		return p.show(c, form, nil)
	}
	field, ok, err := p.Service.Platform.CustomField(c.Request.Context(), id)
	if err == nil && !ok {
		err = fault.New(fault.RequestNotFound)
	}
	if err != nil {
		return err
	}
	form := &customFieldForm{Editing: true, Deleting: c.Query("delete") != "", ID: field.ID, Value: field.Value, Required: field.Required}
	for _, t := range field.Translations {
		form.Translations = append(form.Translations, translation{Language: t.Language, Name: t.Name})
	}
	return p.show(c, form, nil)
}

// post answers POST /custom-fields: save, overwrite, add-translation, delete.
func (p customFieldsPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	form := readCustomField(c.Request.PostForm)
	switch action := c.PostForm("action"); action {
	case "add-translation":
		form.Translations = append(form.Translations, translation{})
		form.Added = true
		return p.show(c, form, nil)
	case "delete":
		who, err := p.Actors.Actor(c)
		if err == nil {
			err = p.Service.DeleteCustomField(c.Request.Context(), who, form.ID)
		}
		if err != nil {
			return p.show(c, nil, err)
		}
		return page.SeeOther(c, customFieldsPath, page.NoticeFieldDeleted)
	case "save", "overwrite":
		return p.save(c, form, action == "overwrite" || form.Editing)
	}
	return p.show(c, form, payload.Violation("/action", "field.choice"))
}

// save saves the field in the form. It asks for a confirmation before it overwrites
// another field.
func (p customFieldsPage) save(c *gin.Context, form *customFieldForm, replaces bool) error {
	ctx := c.Request.Context()
	if !form.Editing { // else it is the id of a field that there is
		form.ID = safetext.Visible(form.ID)
	}
	before, exists, err := p.Service.Platform.CustomField(ctx, form.ID)
	if err != nil {
		return p.show(c, form, err)
	}
	if exists && !replaces {
		form.Overwriting = true
		return p.show(c, form, nil)
	}
	field := signing.CustomField{ID: form.ID, Value: form.Value, Required: form.Required, Data: before.Data}
	for _, t := range form.Translations {
		one := signing.CustomFieldTranslation{Language: t.Language, Name: t.Name}
		i := slices.IndexFunc(before.Translations, func(b signing.CustomFieldTranslation) bool { return b.Language == t.Language })
		if i >= 0 {
			one.Description, one.Data = before.Translations[i].Description, before.Translations[i].Data
		}
		field.Translations = append(field.Translations, one)
	}
	who, err := p.Actors.Actor(c)
	if err == nil {
		err = checkTyped(field, exists)
	}
	if err == nil {
		err = p.Service.SaveCustomField(ctx, who, field, exists)
	}
	if err != nil {
		return p.show(c, form, err)
	}
	return page.SeeOther(c, customFieldsPath, page.NoticeFieldSaved)
}

// checkTyped checks a typed field by the rules of payloads, and requires a name in each
// of its translations.
func checkTyped(field signing.CustomField, replaces bool) error {
	err := field.Check(replaces)
	wrong := fault.From(err)
	if err != nil && wrong.Key != fault.RequestInvalid {
		return err
	}
	var fields []fault.Field
	if err != nil {
		fields = wrong.Fields
	}
	for i, t := range field.Translations {
		if t.Name == "" {
			fields = append(fields, fault.Field{Pointer: fmt.Sprintf("/translations/%d/name", i), Detail: "field.empty"})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return fault.Invalid(fields...)
}

// maxTranslations limits the translations in a form.
const maxTranslations = 50

// readCustomField reads the form, leaving out empty rows.
func readCustomField(typed url.Values) *customFieldForm {
	form := &customFieldForm{
		Editing: typed.Get("editing") != "", ID: strings.TrimSpace(typed.Get("id")), Value: typed.Get("value"), Required: typed.Get("required") != "",
	}
	languages, names := typed["language"], typed["name"]
	for i := range min(len(languages), len(names), maxTranslations) {
		t := translation{Language: safetext.Visible(languages[i]), Name: safetext.Trim(names[i])}
		if t != (translation{}) {
			form.Translations = append(form.Translations, t)
		}
	}
	return form
}

// show shows the list and the open form, if there is one. With a cause it also shows what
// went wrong.
func (p customFieldsPage) show(c *gin.Context, form *customFieldForm, cause error) error {
	v, status := customFieldsView{Common: page.Common(c), Ticket: p.Recovery.Ticket(c), Form: form}, http.StatusOK
	if cause != nil {
		var err error
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		if form != nil {
			p.mark(c, form, fault.From(cause).Fields)
			v.Problem.Detail = ""
		}
	}
	if form != nil && len(form.Translations) == 0 {
		form.Translations = []translation{{}}
	}
	fields, err := p.Service.Platform.CustomFields(c.Request.Context())
	if v.Unlisted = err != nil; v.Unlisted && form == nil {
		return err
	}
	if v.Unlisted && cause == nil {
		if v.Problem, status, err = p.Renderer.Problem(c, err); err != nil {
			return err
		}
	}
	for _, f := range fields {
		v.Fields = append(v.Fields, customField{f})
	}
	return customFieldsTemplate.Show(c, p.Renderer, status, v)
}

// mark puts each violation beside its input.
func (p customFieldsPage) mark(c *gin.Context, form *customFieldForm, wrong []fault.Field) {
	words := p.Renderer.Bundle.For(request.From(c).Language)
	if len(form.Translations) == 0 {
		form.Translations = []translation{{}}
	}
	places := map[string]*string{"/id": &form.WrongID, "/value": &form.WrongValue, "/translations": &form.Translations[0].WrongLanguage}
	for i := range form.Translations {
		places[fmt.Sprintf("/translations/%d/language", i)] = &form.Translations[i].WrongLanguage
		places[fmt.Sprintf("/translations/%d/name", i)] = &form.Translations[i].WrongName
	}
	for _, field := range wrong {
		if place := places[field.Pointer]; place != nil {
			*place = words.T(field.Detail)
		}
	}
}
