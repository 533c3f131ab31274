package handlers

import (
	"net/http"
	"time"

	"countersign/internal/identity"
)

// Memory is what a device knows of who signs in on it, in cookies of its own:
// with their consent for next time, which signing out leaves alone, and without
// it from one step of a sign-in to the next. And it knows the language that was
// chosen on it, which is nobody's secret.
type Memory struct {
	Secure bool
}

const (
	// memoryAge is how long a device remembers.
	memoryAge = 180 * 24 * time.Hour
	// typedAge is how long somebody may take from their name to their password.
	typedAge = 10 * time.Minute
)

const (
	rememberedCookie = "countersign-user"
	typedCookie      = "countersign-typed"
	languageCookie   = "countersign-language"
)

// Recall is the remembered user; false when there is none, or no sound one.
func (m Memory) Recall(r *http.Request) (string, bool) { return m.get(r, rememberedCookie) }

// Keep remembers user.
func (m Memory) Keep(w http.ResponseWriter, user string) {
	m.set(w, rememberedCookie, user, int(memoryAge.Seconds()))
}

// Forget forgets whoever was remembered.
func (m Memory) Forget(w http.ResponseWriter) { m.set(w, rememberedCookie, "", -1) }

// Typed is who said at the first step to be signing in; false when nobody did
// a short while ago.
func (m Memory) Typed(r *http.Request) (string, bool) { return m.get(r, typedCookie) }

// Note keeps user for the second step.
func (m Memory) Note(w http.ResponseWriter, user string) {
	m.set(w, typedCookie, user, int(typedAge.Seconds()))
}

// Drop ends what Note began, if it did.
func (m Memory) Drop(w http.ResponseWriter, r *http.Request) {
	if _, ok := m.Typed(r); ok {
		m.set(w, typedCookie, "", -1)
	}
}

// KeepLanguage remembers the BCP 47 tag of the language that was chosen.
func (m Memory) KeepLanguage(w http.ResponseWriter, tag string) {
	m.set(w, languageCookie, tag, int(memoryAge.Seconds()))
}

// Language is what KeepLanguage remembered, or whatever else the cookie says;
// empty for nothing, and for programs, whose cookies are not looked at.
func (m Memory) Language(r *http.Request) string {
	cookie, err := r.Cookie(m.prefix() + languageCookie)
	if _, program := r.Header["Authorization"]; program || err != nil {
		return ""
	}
	return cookie.Value
}

func (m Memory) get(r *http.Request, name string) (string, bool) {
	cookie, err := r.Cookie(m.prefix() + name)
	if err != nil || !identity.ValidUser(cookie.Value) {
		return "", false
	}
	return cookie.Value, true
}

func (m Memory) prefix() string {
	if m.Secure {
		return "__Host-Http-"
	}
	return ""
}

func (m Memory) set(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure follows the origin: plain http is for localhost alone
		Name: m.prefix() + name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: m.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
