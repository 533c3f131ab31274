package sessiontest

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"

	"countersign/session"

	"github.com/gorilla/sessions"
)

func cookieComesBack(f *fixture) {
	r, w := httptest.NewRequest(http.MethodPost, "/login", nil), httptest.NewRecorder()
	if _, ok, err := f.Load(r); ok || err != nil {
		f.Fatalf("without a credential: %v, %v", ok, err)
	}
	sess := f.signIn(nil, alice)
	f.SendCookie(w, sess)
	want := CookieName + "=" + sess.Token() + "; Path=/; HttpOnly; Secure; SameSite=Strict"
	if got := w.Header().Values("Set-Cookie"); len(got) != 1 || got[0] != want {
		f.Errorf("cookies %q, want one %q", got, want)
	}

	next, w := withCookie(CookieName, sess.Token()), httptest.NewRecorder()
	loaded, ok, err := f.Load(next)
	if err != nil || !ok || loaded.ID() != sess.ID() || loaded.Bearer() {
		f.Fatalf("with the cookie: %v, %v, %v", loaded, ok, err)
	}
	if loaded.Token() != "" {
		f.Error("a loaded session tells its token")
	}
	f.SendCookie(w, loaded)
	if got := w.Header().Values("Set-Cookie"); len(got) != 0 {
		f.Errorf("the cookie is sent again: %q", got)
	}

	w = httptest.NewRecorder()
	f.ExpireCookie(w)
	expired := w.Result().Cookies()
	if len(expired) != 1 || expired[0].Name != CookieName || expired[0].Value != "" || expired[0].MaxAge >= 0 || !expired[0].Secure || expired[0].Path != "/" {
		f.Errorf("expired with %q", w.Header())
	}
}

func bearerCarriesTheToken(f *fixture) {
	pre, err := f.StartPre(f.ctx(), true, nil)
	f.must(err)
	sess, err := f.SignIn(f.ctx(), session.SignIn{Old: pre, User: alice, Method: "fido2", Client: phone})
	f.must(err)
	if !pre.Bearer() || !sess.Bearer() {
		f.Errorf("bearer: pre-session %v, the session that goes on from it %v", pre.Bearer(), sess.Bearer())
	}
	w := httptest.NewRecorder()
	f.SendCookie(w, sess)
	if got := w.Header().Values("Set-Cookie"); len(got) != 0 {
		f.Errorf("a bearer is sent a cookie: %q", got)
	}
	if loaded := f.again(sess); !loaded.Bearer() {
		f.Error("loaded, a bearer's session is none")
	}
	browser := f.signIn(nil, alice)
	if loaded := f.again(browser); !loaded.Bearer() {
		f.Error("a session loaded from the Authorization header is not a bearer's")
	}
}

func oneWayOfCredential(f *fixture) {
	mine, other := f.signIn(nil, alice), f.signIn(nil, bob)
	for name, tt := range map[string]struct {
		path    string
		headers []string
		cookie  string
		finds   *session.Session
	}{
		"cookie":                       {"/session", nil, mine.Token(), mine},
		"bearer":                       {"/session", []string{"Bearer " + mine.Token()}, "", mine},
		"scheme in any case":           {"/session", []string{"bEARER " + mine.Token()}, "", mine},
		"more than one space":          {"/session", []string{"Bearer   " + mine.Token()}, "", mine},
		"basic below /api/":            {"/api/packages", []string{"Basic " + mine.Token()}, "", mine},
		"bearer below /api/":           {"/api/packages", []string{"Bearer " + mine.Token()}, "", mine},
		"basic elsewhere":              {"/session", []string{"Basic " + mine.Token()}, "", nil},
		"basic at /api":                {"/api", []string{"Basic " + mine.Token()}, "", nil},
		"basic at /apis/":              {"/apis/", []string{"Basic " + mine.Token()}, "", nil},
		"basic, encoded":               {"/api/packages", []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(mine.Token()+":"))}, "", nil},
		"bearer before cookie":         {"/session", []string{"Bearer " + other.Token()}, mine.Token(), other},
		"a bad header and a cookie":    {"/session", []string{"Bearer x"}, mine.Token(), nil},
		"an empty header and a cookie": {"/session", []string{""}, mine.Token(), nil},
		"another scheme and a cookie":  {"/session", []string{"Digest " + mine.Token()}, mine.Token(), nil},
		"the token alone and a cookie": {"/session", []string{mine.Token()}, mine.Token(), nil},
		"two headers":                  {"/session", []string{"Bearer " + mine.Token(), "Bearer " + mine.Token()}, "", nil},
		"nothing":                      {"/session", nil, "", nil},
	} {
		r := httptest.NewRequest(http.MethodGet, tt.path, nil)
		if tt.headers != nil {
			r.Header["Authorization"] = tt.headers
		}
		if tt.cookie != "" {
			r.AddCookie(&http.Cookie{Name: CookieName, Value: tt.cookie})
		}
		sess, ok, err := f.Load(r)
		switch {
		case err != nil:
			f.Errorf("%s: %v", name, err)
		case ok != (tt.finds != nil) || ok && sess.ID() != tt.finds.ID():
			f.Errorf("%s: found %v, want %v", name, sess, tt.finds)
		}
	}
	if _, ok, err := f.Load(withCookie("countersign", mine.Token())); ok || err != nil {
		f.Errorf("a cookie of another name: %v, %v", ok, err)
	}
}

// WrongSpellings returns texts that resemble token but are not its canonical spelling.
func WrongSpellings(token string) map[string]string {
	last := "AEIMQUYcgkosw048"
	other := strings.IndexByte(last, token[42])
	return map[string]string{
		"empty":               "",
		"short":               token[:42],
		"long":                token + "A",
		"padded":              token + "=",
		"a line break":        token[:20] + "\n" + token[20:42],
		"a blank":             token[:42] + " ",
		"standard base64":     strings.Repeat("+", 42) + "A",
		"a byte of no base64": token[:42] + "\x00",
		"trailing bits":       token[:42] + string("AEIMQUYcgkosw048"[other]+1),
		"beyond ASCII":        token[:41] + "é",
	}
}

func wrongSpelling(f *fixture) {
	sess := f.signIn(nil, alice)
	for name, text := range WrongSpellings(sess.Token()) {
		if _, ok := f.load(f.Store, text); ok {
			f.Errorf("%s: %q opens a session", name, text)
		}
	}
	if _, ok := f.load(f.Store, strings.Repeat("A", 43)); ok {
		f.Error("a token that was never issued opens a session")
	}
}

func gorillaStore(f *fixture) {
	sess := f.signIn(nil, alice)
	r, w := withCookie(CookieName, sess.Token()), httptest.NewRecorder()
	var store sessions.Store = f.Store
	wrapped, err := store.Get(r, CookieName)
	f.must(err)
	if wrapped.IsNew || wrapped.ID != sess.ID() || wrapped.Name() != CookieName {
		f.Errorf("gorilla's session: new %v, id %q, name %q", wrapped.IsNew, wrapped.ID, wrapped.Name())
	}
	f.must(f.SignOut(f.ctx(), sess)) // the loaded session is remembered for this request
	if again, err := store.Get(r, CookieName); err != nil || again != wrapped {
		f.Error("the request loads its session twice")
	}
	unknown, err := store.New(r, CookieName)
	if err != nil || unknown == nil || !unknown.IsNew {
		f.Errorf("New of a session that is over: %v, %v", unknown, err)
	}
	f.must(sessions.Save(r, w))
	if got := w.Header().Values("Set-Cookie"); len(got) != 0 {
		f.Errorf("saving what did not change sends %q", got)
	}
	wrapped.Values["loose"] = "value"
	if err := sessions.Save(r, w); err == nil {
		f.Error("a loose value is swallowed")
	}
	gorillaSignsOut(f)
}

// gorillaSignsOut ends a session in gorilla's own way, by a negative MaxAge.
func gorillaSignsOut(f *fixture) {
	sess := f.signIn(nil, alice)
	r, w := withCookie(CookieName, sess.Token()), httptest.NewRecorder()
	wrapped, err := f.Get(r, CookieName)
	f.must(err)
	wrapped.Options.MaxAge = -1
	f.must(wrapped.Save(r, w))
	if got := w.Result().Cookies(); len(got) != 1 || got[0].MaxAge >= 0 {
		f.Errorf("a negative MaxAge sends %q", w.Header())
	}
	f.gone(sess.Token(), "gorilla saved it with a negative MaxAge")
}

func withCookie(name, value string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/session", nil)
	r.AddCookie(&http.Cookie{Name: name, Value: value})
	return r
}
