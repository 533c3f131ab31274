package page

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// FormToken keeps the once-token of a browser's forms that make something until it is known
// what became of one: after a lost answer, a reload or going back leads to the same token, and
// so to nothing made twice.
type FormToken struct {
	w http.ResponseWriter
	r *http.Request
	// path begins the addresses of the forms.
	path string
	// https says that people find this service by https.
	https bool
}

// FormTokenOf returns the cookie of the forms below path; origin is where people find this service.
func FormTokenOf(c *gin.Context, path, origin string) FormToken {
	return FormToken{c.Writer, c.Request, path, strings.HasPrefix(origin, "https:")}
}

// onceAge is the life of a token in seconds, as long as an idempotency key's.
const onceAge = 24 * 60 * 60

// Token returns the browser's token, which it gets if it has none.
func (o FormToken) Token() string {
	if kept := o.kept(); len(kept) == len(rand.Text()) {
		return kept
	}
	return o.keep(rand.Text())
}

// After returns the token of a form that shows cause, why what was sent with the token sent
// made nothing, or perhaps something. A person who was told that the answer is lost gets
// another: to press again is their decision then.
func (o FormToken) After(cause error, sent string) string {
	switch {
	case fault.Is(cause, fault.RequestIdempotencyLost):
		return o.keep(rand.Text())
	case cause != nil && len(sent) == len(rand.Text()):
		return o.keep(sent)
	}
	return o.Token()
}

// keep gives the browser a token and returns it. Programs keep none.
func (o FormToken) keep(token string) string {
	if o.kept() != token && o.r.Header.Get("Authorization") == "" {
		o.set(token, onceAge)
	}
	return token
}

// Spend takes the token away.
func (o FormToken) Spend() {
	if o.kept() != "" {
		o.set("", -1)
	}
}

func (o FormToken) kept() string {
	cookie, err := o.r.Cookie(o.name())
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (o FormToken) name() string {
	if o.https {
		return "__Secure-countersign-once"
	}
	return "countersign-once"
}

func (o FormToken) set(value string, maxAge int) {
	http.SetCookie(o.w, &http.Cookie{ //nolint:gosec // Secure follows the origin: plain http is for localhost alone
		Name: o.name(), Value: value, Path: o.path, MaxAge: maxAge,
		Secure: o.https, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
