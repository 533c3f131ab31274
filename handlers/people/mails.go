package people

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/payload"
	"countersign/internal/request"
)

// Mails shows and changes which e-mails a person gets, and in which language.
type Mails struct {
	Preferences *audit.PreferenceStore
	Bundle      *i18n.Bundle
	// Sent says that this installation sends e-mails.
	Sent bool
}

// mailsBody is the answer to GET /account/notices; a language that the person has not chosen
// is null.
type mailsBody struct {
	Packages bool    `json:"packages"`
	Language *string `json:"language"`
}

// InUse returns request.not-found if this installation sends no e-mails.
func (h Mails) InUse(*gin.Context) error {
	if !h.Sent {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// Show answers GET /account/notices.
func (h Mails) Show(c *gin.Context) error {
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	chosen, err := h.Preferences.Of(c.Request.Context(), person.ID)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, mailsBody{Packages: !chosen.NoPackages, Language: request.Known(chosen.Language())})
}

// Change answers PATCH /account/notices: {packages, language}, either of which may be missing;
// the language "" takes a choice back.
func (h Mails) Change(c *gin.Context) error {
	change, err := request.Decode(c, func(body payload.Object) (func(*audit.Preferences), error) {
		packages := body.Boolean("packages")
		language, chosen := body.Text("language", append(h.Bundle.Languages(), "")...)
		return func(p *audit.Preferences) {
			if packages != nil {
				p.NoPackages = !*packages
			}
			if chosen {
				p.NoticeLanguage = language
			}
		}, body.Done()
	})
	if err != nil {
		return err
	}
	if err := h.change(c, change); err != nil {
		return err
	}
	return request.NoContent(c)
}

func (h Mails) change(c *gin.Context, change func(*audit.Preferences)) error {
	person, err := request.RequirePerson(c)
	if err != nil {
		return err
	}
	return h.Preferences.Change(c.Request.Context(), person.ID, change)
}

// save carries out the page's form: packages is there if it is ticked, an empty language
// follows the one of the pages.
func (h Mails) save(c *gin.Context) error {
	if err := h.InUse(c); err != nil {
		return err
	}
	language := c.PostForm("notices")
	if language != "" && !slices.Contains(h.Bundle.Languages(), language) {
		return payload.Violation("/notices", "field.choice")
	}
	return h.change(c, func(p *audit.Preferences) {
		p.NoPackages, p.NoticeLanguage = c.PostForm("packages") == "", language
	})
}

// view returns the choices of a person for the page; nil if no e-mails are sent.
func (h Mails) view(c *gin.Context, person string) (*mailsView, error) {
	if !h.Sent {
		return nil, nil
	}
	chosen, err := h.Preferences.Of(c.Request.Context(), person)
	return &mailsView{Packages: !chosen.NoPackages, Language: chosen.NoticeLanguage, PageLanguage: chosen.PageLanguage}, err
}
