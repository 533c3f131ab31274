package sandbox_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func (p platform) inspector() string {
	p.t.Helper()
	a := p.call(http.MethodGet, "/_manage/", nil)
	policy := a.header.Get("Content-Security-Policy")
	if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		p.t.Fatalf("%d %v", a.status, a.header)
	}
	return a.text
}

func (p platform) press(form url.Values) {
	p.t.Helper()
	r := p.request(http.MethodPost, "/_manage/inspector", form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", p.url)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/_manage/" {
		p.t.Fatalf("%v: %s %s", form, response.Status, text)
	}
}

func (p platform) shows(when string, want map[string]bool) {
	p.t.Helper()
	text := p.inspector()
	for part, shown := range want {
		if strings.Contains(text, part) != shown {
			p.t.Errorf("%s, %q is shown: %t\n%s", when, part, !shown, text)
		}
	}
}

func TestTheInspector(t *testing.T) {
	p := start(t)
	p.shows("at the beginning", map[string]bool{"Nobody has called yet.": true, "No push waits.": true, "alice@sandbox": true, "No fault waits.": true, "There are none.": true})
	p.manage(http.MethodPost, "packages", object{"count": 3, "status": "SENT"})
	p.manage(http.MethodPost, "transactions", object{"count": 2, "status": "<b>odd"})
	p.manage(http.MethodPost, "faults", object{"operation": "getUser", "times": 2, "status": 503})
	p.manage(http.MethodPost, "chaos", object{"rate": 0, "seed": 1})
	pushed := p.post("/users/alice@sandbox/login", object{"objectType": "LoginInput", "credentials": object{"passKey": "NoPIN"}}).string("requestID")
	p.shows("then", map[string]bool{
		"<dt>SENT</dt><dd>3</dd>": true, "<dt>&lt;b&gt;odd</dt><dd>2</dd>": true, "getUser: status 503, 2 ×": true,
		"Accept the push of alice@sandbox": true, pushed: true, "POST /users/alice@sandbox/login": true,
	})
	p.press(url.Values{"do": {"accept"}, "request": {pushed}})
	same(t, "the push", p.call(http.MethodGet, "/sessions/"+pushed, nil).string("sessionStatus"), "accepted")
	p.press(url.Values{"do": {"calm"}})
	p.shows("after it", map[string]bool{"No push waits.": true, "No fault waits.": true})
	before := p.now()
	p.press(url.Values{"do": {"hour"}})
	if p.now() == before {
		t.Error("the clock stands still")
	}
	p.press(url.Values{"do": {"reset"}})
	same(t, "the clock", p.now(), before)
	p.shows("after a reset", map[string]bool{"There are none.": true, "Nobody has called yet.": true, pushed: false})
	same(t, "another button", p.send(func() *http.Request {
		r := p.request(http.MethodPost, "/_manage/inspector", "do=nothing")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	}()).status, http.StatusBadRequest)
}

// now returns the time on the page.
func (p platform) now() string {
	p.t.Helper()
	_, after, _ := strings.Cut(p.inspector(), `datetime="`)
	text, _, _ := strings.Cut(after, `"`)
	return text
}
