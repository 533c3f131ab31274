package verify

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"countersign/internal/fault"
	"countersign/templates"
)

// onceCookie keeps the once-token of a browser's forms that start verifications until it is
// known what became of one: after a lost answer, a reload or going back leads to the same
// token, and so to no second verification.
type onceCookie struct {
	w http.ResponseWriter
	r *http.Request
	// https says that people find this service by https.
	https bool
}

// onceAge limits the life of a token, in seconds, to that of an idempotency key.
const onceAge = 24 * 60 * 60

// token returns the browser's token, which it gets if it has none.
func (o onceCookie) token() string {
	if kept := o.kept(); len(kept) == len(rand.Text()) {
		return kept
	}
	return o.keep(rand.Text())
}

// after returns the token of a form that shows cause, why what was sent with the token sent
// started nothing, or perhaps something. Whoever was told that the answer is lost gets
// another: to press again is their decision then.
func (o onceCookie) after(cause error, sent string) string {
	switch {
	case fault.Is(cause, fault.RequestIdempotencyLost):
		return o.keep(rand.Text())
	case cause != nil && len(sent) == len(rand.Text()):
		return o.keep(sent)
	}
	return o.token()
}

// keep gives the browser a token and returns it. Programs keep none.
func (o onceCookie) keep(token string) string {
	if o.kept() != token && o.r.Header.Get("Authorization") == "" {
		o.set(token, onceAge)
	}
	return token
}

// spend takes the token away.
func (o onceCookie) spend() {
	if o.kept() != "" {
		o.set("", -1)
	}
}

func (o onceCookie) kept() string {
	cookie, err := o.r.Cookie(o.name())
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (o onceCookie) name() string {
	if o.https {
		return "__Secure-countersign-once"
	}
	return "countersign-once"
}

func (o onceCookie) set(value string, maxAge int) {
	http.SetCookie(o.w, &http.Cookie{ //nolint:gosec // Secure follows the origin: plain http is for localhost alone
		Name: o.name(), Value: value, Path: templates.VerificationsPath, MaxAge: maxAge,
		Secure: o.https, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}

// keyOf returns the idempotency key of a form: a hash of its once-token and what was
// typed. The space in it keeps it apart from clients' keys, which contain none.
func keyOf(once, typed string) string {
	sum := sha256.Sum256([]byte(once + " " + typed))
	return "form " + hex.EncodeToString(sum[:])
}
