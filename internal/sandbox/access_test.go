package sandbox_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/sandbox"
)

const (
	here      = "127.0.0.1:4711"
	elsewhere = "192.0.2.7:4711"
	manageKey = "a-key-for-tests"
)

func opened(t *testing.T, change func(*sandbox.Options)) *sandbox.Server {
	t.Helper()
	o := working()
	change(&o)
	server, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

// asked sends a request from that address to a sandbox that listens at port 8081. Of the
// headers, Host is the name that is asked for, localhost:8081 unless it is there.
func asked(server http.Handler, from, method, path string, headers map[string]string, form url.Values) *http.Response {
	r := httptest.NewRequest(method, "http://localhost:8081"+path, strings.NewReader(form.Encode()))
	if r.RemoteAddr = from; form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	if host, given := headers["Host"]; given {
		r.Host = host
	}
	local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8081}
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local)))
	return w.Result()
}

func TestHosts_AllowedAndRefused(t *testing.T) {
	server := opened(t, func(o *sandbox.Options) {
		o.Hosts = []string{"sandbox", "10.0.2.2:8081", "mapped.example:32768", "2001:db8::1"}
	})
	for host, status := range map[string]int{
		"localhost:8081": 200, "LOCALHOST:8081": 200, "127.0.0.1:8081": 200, "192.0.2.1:8081": 421, "127.0.0.1.evil.example:8081": 421, "localhost:32768": 421, "localhost": 421, "[::1]:8081": 200,
		"sandbox": 200, "sandbox:8081": 200, "sandbox:32768": 200, "SANDBOX:8081": 200, "sandbox.": 421,
		"10.0.2.2:8081": 200, "10.0.2.2:8082": 421, "10.0.2.2": 421,
		"mapped.example:32768": 200, "mapped.example:8081": 421,
		"[2001:db8::1]:8081": 200, "[2001:db8::2]:8081": 421,
		"evil.example:8081": 421, "sandbox.evil.example:8081": 421, "notsandbox:8081": 421, "sandbox:8081x": 421, "sandbox:": 421, "": 421,
	} {
		for _, path := range []string{"/users/alice@sandbox", "/_manage/journal"} {
			got := asked(server, here, http.MethodGet, path, map[string]string{"Host": host}, nil)
			same(t, path+" as "+host, got.StatusCode, status)
			same(t, path+" as "+host+" is correlated", got.Header.Get("Log-Correlation-Id") != "", true)
		}
	}
}

func TestManage_FromAnotherMachine(t *testing.T) {
	server := opened(t, func(o *sandbox.Options) { o.ManageKey = manageKey })
	closed := opened(t, func(*sandbox.Options) {})
	for authorization, status := range map[string]int{
		"": 403, "Bearer " + manageKey: 200, "bearer " + manageKey: 403, "Basic " + manageKey: 403, "Bearer": 403, "Bearer ": 403,
		"Bearer " + manageKey + "x": 403, "Bearer " + manageKey[1:]: 403,
	} {
		headers := map[string]string{"Authorization": authorization}
		same(t, "elsewhere with "+authorization, asked(server, elsewhere, http.MethodGet, "/_manage/journal", headers, nil).StatusCode, status)
		same(t, "here with "+authorization, asked(server, here, http.MethodGet, "/_manage/journal", headers, nil).StatusCode, 200)
		same(t, "without a key there is no way in", asked(closed, elsewhere, http.MethodGet, "/_manage/journal", headers, nil).StatusCode, 403)
	}
	for _, from := range []string{elsewhere, "[2001:db8::7]:1", "", "unix"} {
		same(t, "the platform from "+from, asked(server, from, http.MethodGet, "/users/alice@sandbox", nil, nil).StatusCode, 200)
		same(t, "a change from "+from, asked(server, from, http.MethodPost, "/_manage/reset", nil, nil).StatusCode, 403)
		same(t, "the way in without a key from "+from, asked(closed, from, http.MethodGet, "/_manage/login", nil, nil).StatusCode, 403)
	}
}

// signedIn gives the key in the form, and returns the cookie.
func signedIn(t *testing.T, server http.Handler) *http.Cookie {
	t.Helper()
	same(t, "the form", asked(server, elsewhere, http.MethodGet, "/_manage/login", nil, nil).StatusCode, 200)
	same(t, "its style sheet", asked(server, elsewhere, http.MethodGet, "/_manage/assets/page.css", nil, nil).StatusCode, 200)
	origin := map[string]string{"Origin": "http://localhost:8081"}
	for _, wrong := range []string{"", "x", manageKey + "x"} {
		refused := asked(server, elsewhere, http.MethodPost, "/_manage/login", origin, url.Values{"key": {wrong}})
		if refused.StatusCode != http.StatusForbidden || len(refused.Cookies()) > 0 {
			t.Errorf("the key %q: %d %v", wrong, refused.StatusCode, refused.Cookies())
		}
	}
	in := asked(server, elsewhere, http.MethodPost, "/_manage/login", origin, url.Values{"key": {manageKey}})
	if in.StatusCode != http.StatusSeeOther || in.Header.Get("Location") != "/_manage/" || len(in.Cookies()) != 1 {
		t.Fatalf("%d %v", in.StatusCode, in.Header)
	}
	return in.Cookies()[0]
}

func TestManageKey_SignInForm(t *testing.T) {
	server := opened(t, func(o *sandbox.Options) { o.ManageKey = manageKey })
	cookie := signedIn(t, server)
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/_manage" || cookie.MaxAge != 0 || !cookie.Expires.IsZero() || strings.Contains(cookie.Value, manageKey) {
		t.Errorf("the cookie is %v", cookie)
	}
	with := cookie.Name + "=" + cookie.Value
	for name, tc := range map[string]struct {
		method  string
		headers map[string]string
		status  int
	}{
		"a read":                   {http.MethodGet, map[string]string{"Cookie": with}, 200},
		"another cookie":           {http.MethodGet, map[string]string{"Cookie": with + "x"}, 403},
		"a change":                 {http.MethodDelete, map[string]string{"Cookie": with}, 403},
		"of the same origin":       {http.MethodDelete, map[string]string{"Cookie": with, "Origin": "http://localhost:8081"}, 204},
		"the browser says so":      {http.MethodDelete, map[string]string{"Cookie": with, "Sec-Fetch-Site": "same-origin"}, 204},
		"of another origin":        {http.MethodDelete, map[string]string{"Cookie": with, "Origin": "http://evil.example"}, 403},
		"of another port":          {http.MethodDelete, map[string]string{"Cookie": with, "Origin": "http://localhost:8080", "Sec-Fetch-Site": "same-site"}, 403},
		"of no origin":             {http.MethodDelete, map[string]string{"Cookie": with, "Origin": "null"}, 403},
		"of another site":          {http.MethodDelete, map[string]string{"Cookie": with, "Sec-Fetch-Site": "cross-site"}, 403},
		"the two do not agree":     {http.MethodDelete, map[string]string{"Cookie": with, "Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8081"}, 403},
		"the key of another sheet": {http.MethodDelete, map[string]string{"Authorization": "Bearer " + manageKey, "Sec-Fetch-Site": "cross-site"}, 403},
	} {
		same(t, name, asked(server, elsewhere, tc.method, "/_manage/journal", tc.headers, nil).StatusCode, tc.status)
	}
	other := opened(t, func(o *sandbox.Options) { o.ManageKey = manageKey })
	same(t, "a cookie of another start", asked(other, elsewhere, http.MethodGet, "/_manage/journal", map[string]string{"Cookie": with}, nil).StatusCode, 403)
}

// What a page of another site has a browser send is refused on this machine too.
func TestManage_CrossSiteRefused(t *testing.T) {
	server := opened(t, func(*sandbox.Options) {})
	for name, tc := range map[string]struct {
		method  string
		headers map[string]string
		status  int
	}{
		"a program":             {http.MethodPost, nil, 204},
		"a page of its own":     {http.MethodPost, map[string]string{"Origin": "http://localhost:8081"}, 204},
		"behind TLS":            {http.MethodPost, map[string]string{"Origin": "https://localhost:8081"}, 204},
		"another site":          {http.MethodPost, map[string]string{"Origin": "https://evil.example"}, 403},
		"another port":          {http.MethodPost, map[string]string{"Origin": "http://localhost:8080"}, 403},
		"another loopback name": {http.MethodPost, map[string]string{"Origin": "http://127.0.0.1:8081"}, 403},
		"a sandboxed page":      {http.MethodPost, map[string]string{"Origin": "null"}, 403},
		"a form elsewhere":      {http.MethodPost, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a form beside it":      {http.MethodPost, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"typed by a person":     {http.MethodPost, map[string]string{"Sec-Fetch-Site": "none"}, 403},
	} {
		same(t, name, asked(server, here, tc.method, "/_manage/reset", tc.headers, nil).StatusCode, tc.status)
	}
	for mode, status := range map[string]int{"navigate": 200, "no-cors": 403, "": 403} {
		headers := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
		same(t, "a read by another site: "+mode, asked(server, here, http.MethodGet, "/_manage/journal", headers, nil).StatusCode, status)
	}
	same(t, "typed", asked(server, here, http.MethodGet, "/_manage/journal", map[string]string{"Sec-Fetch-Site": "none"}, nil).StatusCode, 200)
}
