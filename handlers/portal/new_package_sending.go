package portal

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/signing/compose"
	"countersign/templates"
)

// undrafted returns the form of a page without a draft, with what was typed.
func (p newPackagePage) undrafted(c *gin.Context, typed map[string]string) *compose.Draft {
	if !p.Renderer.Bundle.Has(typed["was_language"]) {
		delete(typed, "was_language")
	}
	d := &compose.Draft{Form: compose.RestoreForm(typed)}
	if lost := typed["lost"]; len(lost) == hex.EncodedLen(sha256.Size) {
		d.Lost = lost
	}
	p.take(c, d, typed)
	return d
}

// take takes over what was typed. The package has the language of the page until another
// one is chosen, and its owner asks for the signatures.
func (p newPackagePage) take(c *gin.Context, d *compose.Draft, typed map[string]string) {
	if d.Form.Language == "" {
		d.Form.Language = request.From(c).Language
	}
	if d.Form.Asker == "" {
		d.Form.Asker = p.asker(c, d)
	}
	if tag := typed["language"]; tag != d.Form.Language && !p.Renderer.Bundle.Has(tag) {
		delete(typed, "language")
	}
	d.Form.TypeSending(typed, p.asks)
	d.Form.Type(typed, p.words(c, d))
	d.Form.FollowName(p.asks)
}

// asker returns the name and, where it is known, the e-mail address of the package's owner:
// a program's package may be another person's than an operator's who completes it.
func (p newPackagePage) asker(c *gin.Context, d *compose.Draft) string {
	name, email := "", ""
	person, ok := request.Person(c)
	if ok {
		name = templates.Person{ID: person.ID, DisplayName: person.DisplayName}.Name()
	}
	if who, err := p.Actors.Actor(c); err == nil {
		email = who.Email
	}
	switch owner, sender := d.Countersign.Owner, d.Sender; {
	case owner != "" && owner != person.ID:
		name, email = templates.Person{ID: owner, DisplayName: d.Countersign.OwnerName}.Name(), ""
	case owner == "" && sender.Name() != "" && !strings.EqualFold(sender.Email, email):
		name, email = sender.Name(), sender.Email
	}
	if email == "" {
		return name
	}
	return p.Renderer.Bundle.For(request.From(c).Language).Plain("format.asker", "Name", name, "Email", email)
}

// asks returns the sentence that asks for signatures, which turns nothing beside a name.
func (p newPackagePage) asks(language, asker, name string) string {
	words := p.Renderer.Bundle.For(language)
	if name == "" {
		name = words.T(untitledID)
	}
	return words.Plain("format.asks", "Asker", safetext.Line(asker), "Name", safetext.Line(name))
}

// withoutDraft carries out a button of a page that has no draft and needs none, and shows
// the page again; makes is true for what makes a draft.
func (p newPackagePage) withoutDraft(c *gin.Context, d *compose.Draft, do string) (makes bool, err error) {
	focus := ""
	switch do {
	case "send":
		err = p.Drafts.Sendable(&d.Form)
	case "save":
		if err = p.Drafts.Savable(&d.Form); err == nil {
			return true, nil
		}
	case "add-files":
		focus = "files"
	default:
		var known bool
		if focus, known = d.Form.Step(do); !known {
			err = payload.Violation("/do", "field.choice")
		}
	}
	d.Form.Revision++
	return false, p.show(c, d, err, focus)
}

// sendingOf returns how the package is sent, for its page.
func (p newPackagePage) sendingOf(d *compose.Draft) sendingPart {
	f := d.Form
	v := sendingPart{SendOptions: f.SendOptions, ShownName: f.Name, ShownLanguage: f.Language}
	v.DueAt, v.Exactly = f.DueAt()
	if f.Name = ""; len(f.Documents) > 0 {
		v.File = f.Title()
	}
	for _, tag := range p.Renderer.Bundle.Languages() {
		words := p.Renderer.Bundle.For(tag)
		v.Languages = append(v.Languages, choice{Value: tag, Name: words.Name()})
		v.Asks = append(v.Asks, askPart{Language: tag, Sentence: p.asks(tag, f.Asker, "{package}"), Untitled: words.T(untitledID)})
	}
	if !p.Renderer.Bundle.Has(f.Language) {
		v.Languages = append(v.Languages, choice{Value: f.Language, Name: f.Language})
	}
	return v
}
