package identity

import (
	"encoding/base64"
	"net/http"
	"time"

	"countersign/internal/request"
	"countersign/internal/seal"
)

// DeviceCookies are the cookies with which a device remembers people, apart from
// sessions: with consent, the person to sign in next time, which survives signing out;
// without it, the person between the steps of a sign-in; and the chosen language. A person who
// is remembered and has signed in leaves a proof of that, which tells this device more of
// their account than a name that anybody can type (signin.Client.KnownTo).
type DeviceCookies struct {
	Secure bool
	Users  request.Users
	// Proofs seals the proofs; required wherever people sign in.
	Proofs seal.Sealer
}

const (
	// rememberedAge is the life of the cookies for a person and a language.
	rememberedAge = 180 * 24 * time.Hour
	// conditionalAge is how long no page makes another passkey by itself.
	conditionalAge = 30 * 24 * time.Hour
	// enteredAge limits the time between entering a name and a password.
	enteredAge = 10 * time.Minute
)

const (
	rememberedCookie = "countersign-user"
	enteredCookie    = "countersign-typed"
	languageCookie   = "countersign-language"
	provenCookie     = "countersign-proven"
	// conditionalCookie is followed by a name of the person.
	conditionalCookie = "countersign-conditional-"
)

// rememberedUser returns the canonical id of the remembered person; false if there is
// none, or if it is no user id.
func (d DeviceCookies) rememberedUser(r *http.Request) (string, bool) {
	return d.user(r, rememberedCookie)
}

// rememberUser stores user for the next sign-in.
func (d DeviceCookies) rememberUser(w http.ResponseWriter, user string) {
	d.set(w, rememberedCookie, user, int(rememberedAge.Seconds()))
}

// forgetUser deletes the cookies of rememberUser and proveUser.
func (d DeviceCookies) forgetUser(w http.ResponseWriter) {
	d.set(w, rememberedCookie, "", -1)
	d.set(w, provenCookie, "", -1)
}

// proveUser stores the proof that user has signed in here, if the device may remember them.
func (d DeviceCookies) proveUser(w http.ResponseWriter, r *http.Request, user string) {
	if remembered, ok := d.rememberedUser(r); !ok || remembered != user {
		return
	}
	sealed := d.Proofs.SealDeterministic([]byte(user), []byte(provenCookie))
	d.set(w, provenCookie, base64.RawURLEncoding.EncodeToString(sealed), int(rememberedAge.Seconds()))
}

// provenUser returns the canonical id of the person who has signed in here; "" without a
// good proof.
func (d DeviceCookies) provenUser(r *http.Request) string {
	cookie, err := r.Cookie(d.prefix() + provenCookie)
	if err != nil {
		return ""
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return ""
	}
	user, _ := d.Proofs.Open(sealed, []byte(provenCookie))
	return string(user)
}

// keepConditional notes that a page has had a passkey made by itself for user.
func (d DeviceCookies) keepConditional(w http.ResponseWriter, user string) {
	d.set(w, d.conditionalName(user), "1", int(conditionalAge.Seconds()))
}

// triedConditional reports whether that is noted.
func (d DeviceCookies) triedConditional(r *http.Request, user string) bool {
	_, err := r.Cookie(d.prefix() + d.conditionalName(user))
	return err == nil
}

// conditionalName names a cookie for user, without telling who that is.
func (d DeviceCookies) conditionalName(user string) string {
	return conditionalCookie + d.Proofs.Name("conditional "+user)
}

// enteredUser returns the canonical id that was entered at the first step of a sign-in;
// false if none was within enteredAge.
func (d DeviceCookies) enteredUser(r *http.Request) (string, bool) { return d.user(r, enteredCookie) }

// keepEnteredUser stores user for the second step.
func (d DeviceCookies) keepEnteredUser(w http.ResponseWriter, user string) {
	d.set(w, enteredCookie, user, int(enteredAge.Seconds()))
}

// dropEnteredUser deletes the cookie of keepEnteredUser, if there is one.
func (d DeviceCookies) dropEnteredUser(w http.ResponseWriter, r *http.Request) {
	if _, ok := d.enteredUser(r); ok {
		d.set(w, enteredCookie, "", -1)
	}
}

// keepLanguage stores the BCP 47 tag of the chosen language.
func (d DeviceCookies) keepLanguage(w http.ResponseWriter, tag string) {
	d.set(w, languageCookie, tag, int(rememberedAge.Seconds()))
}

// Language returns the value of the language cookie, which a client may have set to
// anything; empty without one, and for programs, whose cookies are ignored.
func (d DeviceCookies) Language(r *http.Request) string {
	cookie, err := r.Cookie(d.prefix() + languageCookie)
	if _, program := r.Header["Authorization"]; program || err != nil {
		return ""
	}
	return cookie.Value
}

func (d DeviceCookies) user(r *http.Request, name string) (string, bool) {
	cookie, err := r.Cookie(d.prefix() + name)
	if err != nil {
		return "", false
	}
	return d.Users.Canonical(cookie.Value)
}

func (d DeviceCookies) prefix() string {
	if d.Secure {
		return "__Host-Http-"
	}
	return ""
}

func (d DeviceCookies) set(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure follows the origin: plain http is for localhost alone
		Name: d.prefix() + name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: d.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
