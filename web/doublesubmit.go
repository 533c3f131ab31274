package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/request"
)

// errNotKept says that an answer is given to one request alone.
var errNotKept = errors.New("web: the answer is not kept")

// onePress does what a form asks for once, however often its button is pressed on the same
// page: a browser gives up the first request at the second press, which gets the answer of the
// first. The answers are kept for a moment only. Forms with files have a separate token. A
// Redis that takes no press holds nothing up: a full one still ends sessions.
func (e *edge) onePress(c *gin.Context) {
	if c.Request.Method != http.MethodPost || request.FromProgram(c.Request) {
		return
	}
	if err := request.Form(c); fault.Is(err, fault.RequestMediaType) {
		return
	} else if err != nil {
		_ = c.Error(err)
		c.Abort()
		return
	}
	press, ok := pressOf(c)
	if !ok {
		return
	}
	ctx, leave := context.WithCancel(context.WithoutCancel(c.Request.Context()))
	defer leave()
	waits := context.AfterFunc(c.Request.Context(), leave)
	var own *recorder
	answer, _, err := e.Presses.Do(ctx, press, idempotency.Work{
		Send: func(ctx context.Context, _ *idempotency.Attempt) (idempotency.Answer, error) {
			if stays := waits(); !stays { // from now on nobody's leaving ends it
				return idempotency.Answer{}, context.Canceled
			}
			if own = e.record(ctx, c); own.didNothing() {
				return own.answer(), errNotKept
			}
			return own.answer(), nil
		},
		Find: func(context.Context, string, time.Time) (idempotency.Answer, bool, error) {
			return idempotency.Answer{}, false, nil
		},
	})
	switch {
	case own != nil: // whether it could be kept or not
		answer = own.answer()
	case fault.Is(err, fault.ServerUnavailable):
		request.LogCause(c, err)
		return
	case err != nil:
		_ = c.Error(err)
		c.Abort()
		return
	}
	c.Abort()
	maps.Copy(c.Writer.Header(), answer.Header)
	c.Status(answer.Status)
	c.Writer.WriteHeaderNow()
	_, _ = c.Writer.Write(answer.Body)
}

// pressOf returns the press of a button that a form says it comes from; ok is false for none. It
// is the session's own, so that its answer reaches nobody else. A sign-in begins another
// session, which the second press may have already: it is the password's. Nothing is kept for
// other people without a session.
func pressOf(c *gin.Context) (press idempotency.Request, ok bool) {
	form, owner := c.Request.PostForm, ""
	if _, signedIn := request.Person(c); signedIn && !isPassword(c) {
		owner = request.From(c).Session.ID()
	} else if !isPassword(c) {
		return press, false
	}
	if len(form.Get(page.PressInput)) != page.PressLength {
		return press, false
	}
	sum := sha256.Sum256([]byte(c.Request.URL.RequestURI() + "\x00" + form.Encode()))
	key := hex.EncodeToString(sum[:])
	return idempotency.Request{Person: "press " + owner, Key: key, Method: http.MethodPost, Path: "/", Body: strings.NewReader(key)}, true
}

// isPassword reports whether a form that has been read signs somebody in.
func isPassword(c *gin.Context) bool {
	return c.FullPath() == "/login" && c.Request.PostForm.Get("step") == "password"
}

// record carries a request out to its answer, also if nobody waits for that any more.
func (e *edge) record(ctx context.Context, c *gin.Context) *recorder {
	r, before := &recorder{ResponseWriter: c.Writer, header: c.Writer.Header().Clone(), status: http.StatusOK}, c.Request
	c.Writer, c.Request = r, c.Request.WithContext(ctx)
	defer func() { c.Writer, c.Request = r.ResponseWriter, before }()
	c.Next()
	if last := c.Errors.Last(); last != nil && !r.Written() {
		e.answer(c, last.Err)
	}
	return r
}

// recorder holds an answer back.
type recorder struct {
	gin.ResponseWriter
	header http.Header
	status int
	body   bytes.Buffer
	sent   bool
}

func (r *recorder) answer() idempotency.Answer {
	return idempotency.Answer{Status: r.status, Header: r.header, Body: r.body.Bytes()}
}

// didNothing reports whether the answer refuses what was typed, or its number. To keep such
// answers would let anybody fill Redis.
func (r *recorder) didNothing() bool {
	switch r.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusTooManyRequests:
		return true
	}
	return false
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) WriteHeaderNow() { r.sent = true }

func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func (r *recorder) WriteString(text string) (int, error) { return r.body.WriteString(text) }

func (r *recorder) Status() int { return r.status }

func (r *recorder) Size() int { return r.body.Len() }

func (r *recorder) Written() bool { return r.sent || r.body.Len() > 0 }

func (r *recorder) Flush() {}
