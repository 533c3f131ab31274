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
// first. The answers are kept for a moment only. Forms with files have a token of their own.
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
	key := pressOf(c)
	if key == "" {
		return
	}
	_, signedIn := request.Person(c)
	kept := signedIn || isPassword(c)
	var own *recorder
	answer, _, err := e.Presses.Do(context.WithoutCancel(c.Request.Context()), idempotency.Request{
		Person: "press", Key: key, Method: http.MethodPost, Path: "/", Body: strings.NewReader(key),
	}, idempotency.Work{
		Send: func(ctx context.Context, _ *idempotency.Attempt) (idempotency.Answer, error) {
			own = e.record(ctx, c)
			if !kept || own.status == http.StatusTooManyRequests { // costs nobody anything
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

// pressOf returns a name for the press of a button that a form says it comes from; "" for none.
func pressOf(c *gin.Context) string {
	form := c.Request.PostForm
	if len(form.Get(page.PressInput)) != page.PressLength {
		return ""
	}
	sum := sha256.Sum256([]byte(c.Request.URL.Path + "\x00" + form.Encode()))
	return hex.EncodeToString(sum[:])
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

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) WriteHeaderNow() { r.sent = true }

func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func (r *recorder) WriteString(text string) (int, error) { return r.body.WriteString(text) }

func (r *recorder) Status() int { return r.status }

func (r *recorder) Size() int { return r.body.Len() }

func (r *recorder) Written() bool { return r.sent || r.body.Len() > 0 }

func (r *recorder) Flush() {}
