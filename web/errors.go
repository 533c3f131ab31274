package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/handlers/page"
	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/request"
)

// handle adapts a handler that returns its error to gin.
func handle(h func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			_ = c.Error(err)
			c.Abort()
		}
	}
}

// errors answers every request that ends in an error: the one place where an error
// becomes a response.
func (e *edge) errors(c *gin.Context) {
	request.From(c).Refuse = func(err error) { e.answer(c, err) }
	c.Next()
	if cut := request.From(c).AbortCause(); cut != nil {
		_ = c.Error(cut) // whatever else came of half a body
	}
	if last := c.Errors.Last(); last != nil && !c.Writer.Written() {
		e.answer(c, last.Err)
	}
}

func (e *edge) answer(c *gin.Context, err error) {
	cause := faultOf(err)
	if cause.Key == fault.RequestNotFound || cause.Key == fault.RequestMethod {
		e.recognized(c)
	}
	f := fault.Disclose(cause, request.Audience(c))
	row := f.Row()
	if row.Key == fault.SessionAccount && onPage(c) && wantsPage(c) {
		e.accountEnded(c)
		return
	}
	deadToken := (row.Key == fault.SessionRequired || row.Key == fault.SessionProof) && request.FromProgram(c.Request)
	if wantsSignIn(c, row) && !deadToken {
		c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(pagePath(c.Request)))
		return
	}
	if row.Key == fault.RequestHost && isNavigation(c) && e.answerWrongHost(c) == nil {
		return
	}
	if seconds := f.RetrySeconds(); seconds > 0 {
		c.Header("Retry-After", strconv.Itoa(seconds))
	}
	if row.Status == http.StatusUnauthorized && c.Writer.Header().Get("WWW-Authenticate") == "" {
		c.Header("WWW-Authenticate", challenge(c.Request, err))
	}
	if wantsPage(c) && !deadToken && asPage(c) == nil && e.Renderer.Error(c, f) == nil {
		return
	}
	e.problem(c, f, e.Bundle.For(request.From(c).Language))
}

// faultOf returns err as a fault: a request that nobody waits for any more is cancelled, and
// no failure of ours.
func faultOf(err error) *fault.Error {
	f := fault.From(err)
	left := errors.Is(err, context.Canceled) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
	if f.Key == fault.ServerInternal && left {
		return fault.Wrap(fault.RequestCancelled, err)
	}
	return f
}

// challenge returns the value of WWW-Authenticate for a request that err refuses: a
// client that shows a proof is told what is wrong with it (RFC 9449, 7.1).
func challenge(r *http.Request, err error) string {
	if refusal, ok := errors.AsType[*dpop.Refusal](err); ok {
		return dpop.Challenge(refusal.Code)
	}
	if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, dpop.Scheme) {
		return dpop.Challenge(dpop.InvalidToken) // its session is over
	}
	return `Bearer realm="countersign"`
}

// wantsSignIn reports whether the answer is the sign-in page: a person opened a
// page of theirs, or sent its form, signed out.
func wantsSignIn(c *gin.Context, row fault.Row) bool {
	return row.Key == fault.SessionRequired && onPage(c) && wantsPage(c)
}

// pagePath returns the path to go to after signing in: the page itself, also if the
// request sent the page's form, whose address is the page's and which was not carried out.
func pagePath(r *http.Request) string {
	u, query := *r.URL, r.URL.Query()
	query.Del("notice") // what was told once is not told again
	query.Del("added")
	if r.Method == http.MethodPost && !isSignOut(r) {
		query.Set("notice", string(page.NoticeNotDone))
	}
	u.RawQuery = query.Encode()
	return u.RequestURI()
}

// problem is the body of an error: RFC 9457, with our members, and on /users… and
// below /api the platform's as well.
type problem struct {
	Type      string        `json:"type"`
	Title     string        `json:"title"`
	Status    int           `json:"status"`
	Detail    string        `json:"detail"`
	Instance  string        `json:"instance"`
	Key       fault.Key     `json:"key"`
	Retryable bool          `json:"retryable"`
	Action    fault.Action  `json:"action,omitempty"`
	Fields    []fault.Field `json:"fields,omitempty"`
	// Proofs are those that the package asks of the signer.
	Proofs []fault.Proof `json:"proofs,omitempty"`
	// Command is for the orchestration SDK, as the platform sent it.
	Command string `json:"command,omitempty"`
	// Message is Detail again, in both of the platform's own bodies.
	Message string `json:"message,omitempty"`
	*platformError
	*signingError
}

// platformError is the platform's own error body (docs/platform.md I11).
type platformError struct {
	Error            string            `json:"error"`
	ValidationErrors []validationError `json:"validationErrors,omitempty"`
	UAFStatusCode    int               `json:"uafStatusCode,omitzero"`
}

// signingError is the platform's own error body (docs/platform.md S12).
type signingError struct {
	Code       int    `json:"code"`
	MessageKey string `json:"messageKey"`
	Name       string `json:"name"`
}

// validationError names its member as the platform does, dotted: "a.b" for the pointer
// "/a/b"; none for the whole body.
type validationError struct {
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

func (e *edge) problem(c *gin.Context, f *fault.Error, words *i18n.Printer) {
	c.Header("Content-Language", words.Tag())
	c.Data(f.Row().Status, "application/problem+json", e.problemBody(c, f, words))
}

// laterProblem returns a function that makes the body of an error after the answer's
// status was sent.
func (e *edge) laterProblem(c *gin.Context) func(error) []byte {
	return func(err error) []byte {
		f := fault.Disclose(fault.From(err), request.Audience(c))
		return e.problemBody(c, f, e.Bundle.For(request.From(c).Language))
	}
}

func (e *edge) problemBody(c *gin.Context, f *fault.Error, words *i18n.Printer) []byte {
	state := request.From(c)
	return problemBody(f, words, e.PublicOrigin, state.ID, state.Dialect)
}

// problemBody returns the body of an error in the words and the members of a client.
func problemBody(f *fault.Error, words *i18n.Printer, origin, requestID string, dialect request.Dialect) []byte {
	row := f.Row()
	p := problem{
		Type:      origin + "/errors/" + string(row.Key),
		Title:     words.T(row.TitleID()),
		Status:    row.Status,
		Detail:    words.Join(words.T(row.MessageID()), words.T(row.NextID())),
		Instance:  requestID,
		Key:       row.Key,
		Retryable: row.Retryable,
		Action:    row.Action,
		Command:   f.Command,
		Proofs:    f.Proofs,
	}
	if slices.ContainsFunc(f.Proofs, func(one fault.Proof) bool { return one.Reason == "other-name" }) {
		p.Detail = words.Join(p.Detail, words.T("page.proofs.identity.other-name")) // who can do what about it
	}
	for _, field := range f.Fields {
		p.Fields = append(p.Fields, fault.Field{Pointer: field.Pointer, Detail: words.T(field.Detail)})
	}
	switch dialect {
	case request.PlatformIdentity:
		p.Message, p.platformError = p.Detail, platformBody(p, f.UAFStatusCode)
	case request.PlatformSigning:
		p.Message, p.signingError = p.Detail, signingBody(p, f.MessageKey)
	}
	body, err := json.Marshal(p, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // A problem is made of texts and numbers.
	}
	return body
}

func platformBody(p problem, uafStatusCode int) *platformError {
	out := &platformError{Error: http.StatusText(p.Status), UAFStatusCode: uafStatusCode}
	for _, field := range p.Fields {
		text := field.Detail
		if field.Pointer != "" {
			text = field.Pointer + ": " + text
		}
		name := strings.ReplaceAll(strings.TrimPrefix(field.Pointer, "/"), "/", ".")
		out.ValidationErrors = append(out.ValidationErrors, validationError{Field: name, Message: text})
	}
	return out
}

func signingBody(p problem, messageKey string) *signingError {
	if messageKey == "" {
		messageKey = "error.countersign." + string(p.Key)
	}
	return &signingError{Code: p.Status, MessageKey: messageKey, Name: p.Title}
}
