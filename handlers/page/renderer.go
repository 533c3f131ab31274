package page

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/request"
	"countersign/templates"
)

// Renderer writes pages, each in full or not at all.
type Renderer struct {
	Templates *templates.Pages
	Bundle    *i18n.Bundle
}

// Error answers a failed navigation with the page of f.
func (r Renderer) Error(c *gin.Context, f *fault.Error) error {
	return r.Render(c, f.Row().Status, func(w io.Writer) error {
		return r.Templates.Error(w, templates.Error{Common: Common(c), Key: f.Row().Key, RetryAfter: f.RetryAfter})
	})
}

// Interstitial answers with the page that leads to the same address once more.
func (r Renderer) Interstitial(c *gin.Context) error {
	return r.Render(c, http.StatusOK, func(w io.Writer) error {
		return r.Templates.Interstitial(w, templates.Interstitial{Common: templates.Common{
			Language: request.From(c).Language,
			Path:     c.Request.URL.RequestURI(),
		}})
	})
}

// Elsewhere answers 421, under another host's name, with a page that leads to the same
// address at origin.
func (r Renderer) Elsewhere(c *gin.Context, origin string) error {
	u := url.URL{Path: c.Request.URL.Path, RawPath: c.Request.URL.RawPath, RawQuery: c.Request.URL.RawQuery}
	return r.Render(c, http.StatusMisdirectedRequest, func(w io.Writer) error {
		return r.Templates.Elsewhere(w, templates.Elsewhere{Common: Common(c), Origin: origin, Address: origin + u.RequestURI()})
	})
}

func (r Renderer) Render(c *gin.Context, status int, write func(io.Writer) error) error {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return err
	}
	c.Data(status, "text/html; charset=utf-8", out.Bytes())
	return nil
}

// problem turns an error of a form into what its page says, and into the page's
// status; the log has it as any other. What the person cannot mend on the page,
// as being signed out, stays an error.
func (r Renderer) Problem(c *gin.Context, err error) (*templates.Problem, int, error) {
	f := fault.Disclose(err, request.Audience(c))
	switch f.Key {
	case fault.SessionRequired, fault.ServerInternal, fault.RequestMalformed, fault.RequestMediaType, fault.RequestTooLarge:
		return nil, 0, err
	}
	_ = c.Error(err)
	if seconds := f.RetrySeconds(); seconds > 0 {
		c.Header("Retry-After", strconv.Itoa(seconds))
	}
	problem := &templates.Problem{Row: f.Row(), RetryAfter: f.RetryAfter}
	if len(f.Fields) > 0 {
		problem.Detail = r.Bundle.For(request.From(c).Language).T(f.Fields[0].Detail)
	}
	return problem, f.Row().Status, nil
}

// wrong returns problem, and for each input of the form, by its name, the sentence that says
// what has to change.
func (r Renderer) FieldProblems(c *gin.Context, cause error) (*templates.Problem, map[string]string, int, error) {
	problem, status, err := r.Problem(c, cause)
	if err != nil {
		return nil, nil, 0, err
	}
	words, wrong := r.Bundle.For(request.From(c).Language), map[string]string{}
	for _, field := range fault.From(cause).Fields {
		if field.Pointer != "" {
			wrong[field.Pointer] = words.T(field.Detail)
		}
	}
	if len(wrong) > 1 {
		problem.Detail = "" // the inputs say what is wrong with them
	}
	return problem, wrong, status, nil
}

// passing reports whether err is of the platform or of ours, so that what was typed can be
// sent again.
func Retryable(err error) bool { return fault.From(err).Row().Status >= http.StatusInternalServerError }

// common is what every page knows of its request.
func Common(c *gin.Context) templates.Common {
	state := request.From(c)
	out := templates.Common{
		Language:  state.Language,
		Nonce:     state.Nonce,
		RequestID: state.ID,
		Path:      here(c.Request),
		Notice:    templates.Notice(c.Query("notice")),
	}
	if person, ok := request.Person(c); ok {
		out.Person = &templates.Person{ID: person.ID, DisplayName: person.DisplayName}
	}
	return out
}

// here is the address of the page that the request is about; a form's is that
// of its page.
func here(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.URL.EscapedPath()
	}
	return r.URL.RequestURI()
}

// posted are the fields of the form that were filled in, of those that are named.
func PostedFields(c *gin.Context, names ...string) map[string]string {
	fields := map[string]string{}
	for _, name := range names {
		if value := c.PostForm(name); value != "" {
			fields[name] = value
		}
	}
	return fields
}

// seeOther leads to a page of ours after its form is done.
func SeeOther(c *gin.Context, path string, notice templates.Notice) error {
	path = strings.TrimSuffix(path, "?")
	if notice != "" {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path += separator + url.Values{"notice": {string(notice)}}.Encode()
	}
	c.Redirect(http.StatusSeeOther, path)
	return nil
}

// ownPath is next if that is a path of ours, else "/": a sign-in leads nowhere
// else.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\") || strings.ContainsFunc(next, IsControl) {
		return "/"
	}
	return next
}

// isControl reports whether r may not stand in a line of text: a control character,
// a broken encoding, or a change of the direction of the text around it.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}
