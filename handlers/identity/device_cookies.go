package identity

import (
	"net/http"
	"time"

	"countersign/internal/request"
)

// DeviceCookies is what a device keeps of who signs in on it, in cookies of their
// own: with the person's consent for next time, which signing out leaves alone, and
// without it from one step of a sign-in to the next. The language that was chosen
// on it is there too.
type DeviceCookies struct {
	Secure bool
	Users  request.Users
}

const (
	// rememberedAge is how long a device remembers.
	rememberedAge = 180 * 24 * time.Hour
	// enteredAge is how long somebody may take from their name to their password.
	enteredAge = 10 * time.Minute
)

const (
	rememberedCookie = "countersign-user"
	enteredCookie    = "countersign-typed"
	languageCookie   = "countersign-language"
)

// RememberedUser is the canonical id of the remembered user; false when there is
// none, or no user id.
func (d DeviceCookies) RememberedUser(r *http.Request) (string, bool) {
	return d.user(r, rememberedCookie)
}

// RememberUser remembers user for next time.
func (d DeviceCookies) RememberUser(w http.ResponseWriter, user string) {
	d.set(w, rememberedCookie, user, int(rememberedAge.Seconds()))
}

// ForgetUser ends RememberUser.
func (d DeviceCookies) ForgetUser(w http.ResponseWriter) { d.set(w, rememberedCookie, "", -1) }

// EnteredUser is the canonical id that was entered at the first step of a sign-in;
// false when none was a short while ago.
func (d DeviceCookies) EnteredUser(r *http.Request) (string, bool) { return d.user(r, enteredCookie) }

// KeepEnteredUser keeps user for the second step.
func (d DeviceCookies) KeepEnteredUser(w http.ResponseWriter, user string) {
	d.set(w, enteredCookie, user, int(enteredAge.Seconds()))
}

// DropEnteredUser ends KeepEnteredUser.
func (d DeviceCookies) DropEnteredUser(w http.ResponseWriter, r *http.Request) {
	if _, ok := d.EnteredUser(r); ok {
		d.set(w, enteredCookie, "", -1)
	}
}

// KeepLanguage remembers the BCP 47 tag of the language that was chosen.
func (d DeviceCookies) KeepLanguage(w http.ResponseWriter, tag string) {
	d.set(w, languageCookie, tag, int(rememberedAge.Seconds()))
}

// Language is what KeepLanguage remembered, or whatever else the cookie says;
// empty for nothing, and for programs, whose cookies are not looked at.
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
