// Package page is shared by the handlers of pages: rendering, form errors, redirects, paging,
// event streams. It knows no flow.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"errors"
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
	"countersign/static"
	"countersign/templates"
)

var (
	failed       = For[ErrorView]("error")
	otherHost    = For[otherHostView]("other-host")
	interstitial = For[interstitialView]("interstitial")
)

// Renderer writes pages, each in full or not at all.
type Renderer struct {
	Templates *templates.Pages
	Bundle    *i18n.Bundle
}

// Error answers a failed navigation with the page of f.
func (r Renderer) Error(c *gin.Context, f *fault.Error) error {
	return failed.Show(c, r, f.Row().Status, ErrorView{Common: Common(c), Key: f.Row().Key, RetryAfter: f.RetryAfter})
}

// Interstitial answers with a page that leads to the same address again.
func (r Renderer) Interstitial(c *gin.Context) error {
	return interstitial.Show(c, r, http.StatusOK, interstitialView{Common: templates.Common{
		Language: request.From(c).Language,
		Path:     c.Request.URL.RequestURI(),
	}})
}

// OtherHost answers 421, for a request under another host's name, with a page that leads
// to the same address at origin.
func (r Renderer) OtherHost(c *gin.Context, origin string) error {
	u := url.URL{Path: c.Request.URL.Path, RawPath: c.Request.URL.RawPath, RawQuery: c.Request.URL.RawQuery}
	return otherHost.Show(c, r, http.StatusMisdirectedRequest, otherHostView{Common: Common(c), Origin: origin, Address: origin + u.RequestURI()})
}

// show answers with the page of the template name; on its error nothing is sent.
func (r Renderer) show(c *gin.Context, status int, name string, v templates.Page) error {
	var out bytes.Buffer
	if err := r.Templates.Write(&out, name, v); err != nil {
		return err
	}
	if refused := request.From(c).FormRefused; refused != nil {
		status = refused.Row().Status
	}
	const html = "text/html; charset=utf-8"
	if out.Len() < zippedFrom {
		c.Data(status, html, out.Bytes())
		return nil
	}
	c.Header("Vary", "Accept-Encoding")
	if !static.AcceptsGzip(c.Request.Header.Values("Accept-Encoding")) {
		c.Data(status, html, out.Bytes())
		return nil
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write(out.Bytes())
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	c.Header("Content-Encoding", "gzip")
	c.Data(status, html, zipped.Bytes())
	return nil
}

// zippedFrom is the size from which a page is sent compressed, in bytes. Its length then
// tells nothing: whatever is secret in a page is another in each answer.
const zippedFrom = 16 << 10

// Problem turns an error of a form into the problem that its page shows and the page's
// status, and logs it. It returns errors that the person cannot correct on the page, such
// as being signed out.
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

// FieldProblems returns Problem's results, and the sentence for each invalid input of the
// form, by the input's name.
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

// Retryable reports whether err was caused by the platform or by this service, so that
// the form can be submitted again.
func Retryable(err error) bool { return fault.From(err).Row().Status >= http.StatusInternalServerError }

// Common returns what every page shows of its request.
func Common(c *gin.Context) templates.Common {
	state := request.From(c)
	out := templates.Common{
		Language:  state.Language,
		Press:     rand.Text(),
		Nonce:     state.Nonce,
		RequestID: state.ID,
		Path:      here(c.Request),
		Notice:    templates.Notice(c.Query("notice")),
	}
	if state.FormRefused != nil {
		out.Problem = &templates.Problem{Row: state.FormRefused.Row()}
	}
	if person, ok := request.Person(c); ok {
		out.Person = &templates.Person{ID: person.ID, DisplayName: person.DisplayName}
		out.SignedInAt = state.Session.AuthenticatedAt()
		out.MakesPasskey = state.MakesPasskey
		if state.ShownTo != nil {
			out.ShownTo = state.ShownTo(person.ID)
		}
	}
	return out
}

// ShownToInput is the input of every form that says, sealed, who was shown the form.
const ShownToInput = "shown_to"

// PressInput is the input of every form whose button is pressed once alone on a page, of
// PressLength bytes; another one on each page.
const PressInput = "press"

// PressLength is the length of rand.Text.
const PressLength = 26

// here returns the address of the page; for a form, its page's address.
func here(r *http.Request) string {
	if r.Method == http.MethodPost {
		return r.URL.EscapedPath()
	}
	return r.URL.RequestURI()
}

// PostedFields returns the named fields of the form that were filled in.
func PostedFields(c *gin.Context, names ...string) map[string]string {
	fields := map[string]string{}
	for _, name := range names {
		if value := c.PostForm(name); value != "" {
			fields[name] = value
		}
	}
	return fields
}

// SeeOther redirects to a page of this service after its form is done. Where a form was refused,
// the error is why: the other page would not say so.
func SeeOther(c *gin.Context, path string, notice templates.Notice) error {
	if refused := request.From(c).FormRefused; refused != nil {
		return refused
	}
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

// LocalPath returns next if it is a path of this service, else "/", so that a sign-in
// leads nowhere else.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\") || strings.ContainsFunc(next, isControl) {
		return "/"
	}
	return next
}

// AuthenticatorsPath returns the path of the page of authenticators that leads on to next,
// with a member of its query; either may be "".
func AuthenticatorsPath(next, name, value string) string {
	query := url.Values{}
	if value != "" {
		query.Set(name, value)
	}
	if next != "" {
		query.Set("next", next)
	}
	return strings.TrimSuffix("/authenticators?"+query.Encode(), "?")
}

// SigningPath returns next if it is the path of a package's signing page, to which a person
// goes on with the proof that it asks for; else "".
func SigningPath(next string) string {
	if path := LocalPath(next); strings.HasPrefix(path, "/packages/") && strings.HasSuffix(path, "/sign") {
		return path
	}
	return ""
}

// isControl reports whether r may not occur in a line of text: a control character, a
// broken encoding, or a change of text direction.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}
