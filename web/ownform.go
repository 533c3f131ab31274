package web

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/safetext"
)

var shownToAbout = []byte("shown to")

// sealPerson returns the value of page.ShownToInput for person. It is always the same, so that
// it tells no page of theirs from another, and is worth nothing to others: forms of other
// sites are refused.
func (e *edge) sealPerson(person string) string {
	return base64.RawURLEncoding.EncodeToString(e.shownTo.SealDeterministic([]byte(person), shownToAbout))
}

// isShownTo reports whether a form with this value of page.ShownToInput was shown to person, in
// whichever session of theirs.
func (e *edge) isShownTo(value, person string) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(value)
	if err != nil {
		return false
	}
	owner, ok := e.shownTo.Open(sealed, shownToAbout)
	return ok && string(owner) == person
}

// ownForm refuses a signed-in person's form unless it was shown to them: two tabs of a
// browser share one cookie, and what one person filled in is not to be done as another.
// The page is shown again and says so. Nothing is asked of the forms of the sign-in, which
// name their person themselves, nor of programs, which send their token with each request.
func (e *edge) ownForm(c *gin.Context) {
	person, signedIn := request.Person(c)
	if c.Request.Method != http.MethodPost || !signedIn || request.FromProgram(c.Request) || c.FullPath() == "/login" {
		return
	}
	value, err := e.shownToValue(c)
	switch {
	case err != nil:
		_ = c.Error(err)
		c.Abort()
	case isSignOut(c.Request), e.isShownTo(value, person.ID):
	default:
		e.refuseForm(c)
		c.Abort()
	}
}

// isSignOut reports whether a form that has been read is the one that ends the session, which
// every page sends to /account: a person who asks for it wants nobody to stay signed in here.
func isSignOut(r *http.Request) bool {
	return r.URL.Path == "/account" && r.PostForm.Get("action") == "sign-out"
}

// maxFields limits, in bytes, what is read of a form to find page.ShownToInput. Browsers send
// it first.
const maxFields = 1 << 20

// shownToValue returns the value of page.ShownToInput; "" without one. It takes the field out of a
// form without files, and control characters out of what was typed, as handlers of forms with
// files do themselves.
func (e *edge) shownToValue(c *gin.Context) (string, error) {
	kind, params, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err == nil && kind == "multipart/form-data" {
		var value string
		value, c.Request.Body = beginningOf(c.Request.Body, params["boundary"])
		return value, nil
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxFields)
	if err := request.Form(c); err != nil {
		return "", err
	}
	form := c.Request.PostForm
	value := form.Get(page.ShownToInput)
	form.Del(page.ShownToInput)
	for _, typed := range form {
		for i := range typed {
			typed[i] = safetext.Prose(typed[i]) // nobody sees what is taken out
		}
	}
	return value, nil
}

// beginningOf returns the value of page.ShownToInput in a form with files, if it stands before the
// first file, and the body as if nothing had been read of it.
func beginningOf(body io.ReadCloser, boundary string) (string, io.ReadCloser) {
	var read bytes.Buffer
	parts := multipart.NewReader(io.TeeReader(io.LimitReader(body, maxFields), &read), boundary)
	value := ""
	for {
		part, err := parts.NextPart()
		if err != nil || part.FileName() != "" {
			break
		}
		if part.FormName() == page.ShownToInput {
			if text, err := io.ReadAll(part); err == nil {
				value = string(text)
			}
			break
		}
	}
	return value, struct {
		io.Reader
		io.Closer
	}{io.MultiReader(&read, body), body}
}

// refuseForm shows the page of a form again, with why nothing was done; if the person may not
// see the page, that alone.
func (e *edge) refuseForm(c *gin.Context) {
	refused := fault.New(fault.SessionOtherPerson)
	steps, method := e.gets[c.FullPath()], c.Request.Method
	if len(steps) == 0 || !wantsPage(c) {
		_ = c.Error(refused)
		return
	}
	defer func() { c.Request.Method = method }()
	c.Request.Method = http.MethodGet
	request.From(c).FormRefused = refused
	for _, step := range steps {
		if err := step(c); err != nil {
			request.From(c).FormRefused = nil
			_ = c.Error(refused)
			return
		}
	}
	_ = c.Error(refused) // for the log: the page has been written
}
