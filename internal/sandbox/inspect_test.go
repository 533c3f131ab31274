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

func TestInspector_ShowsState(t *testing.T) {
	p := start(t)
	p.shows("at the beginning", map[string]bool{"No calls yet.": true, "No push waits.": true, "alice@sandbox": true, "No fault waits.": true, "There are none.": true})
	p.manage(http.MethodPost, "packages", object{"count": 3, "status": "SENT"})
	p.manage(http.MethodPost, "transactions", object{"count": 2, "status": "<b>odd"})
	p.manage(http.MethodPost, "faults", object{"operation": "getUser", "times": 2, "status": 503})
	p.manage(http.MethodPost, "chaos", object{"rate": 0, "seed": 1})
	pushed := p.post("/users/alice@sandbox/login", object{"objectType": "LoginInput", "credentials": object{"passKey": "NoPIN"}}).string("requestID")
	p.shows("then", map[string]bool{
		"<h3>SENT: 3</h3>": true, "<h3>&lt;b&gt;odd: 2</h3>": true, "getUser: status 503, 2 ×": true,
		"Accept the push of alice@sandbox": true, pushed: true, "POST /users/alice@sandbox/login": true,
	})
	p.press(url.Values{"do": {"accept"}, "request": {pushed}})
	same(t, "the push", p.call(http.MethodGet, "/sessions/"+pushed, nil).string("sessionStatus"), "accepted")
	p.press(url.Values{"do": {"fault"}, "operation": {"queryUsers"}, "status": {"500"}, "times": {"1"}})
	same(t, "the fault", p.call(http.MethodGet, "/users", nil).status, http.StatusInternalServerError)
	p.press(url.Values{"do": {"calm"}})
	p.shows("after it", map[string]bool{"No push waits.": true, "No fault waits.": true})
	before := p.now()
	p.press(url.Values{"do": {"hour"}})
	if p.now() == before {
		t.Error("the clock stands still")
	}
	p.press(url.Values{"do": {"reset"}})
	same(t, "the clock", p.now(), before)
	p.shows("after a reset", map[string]bool{"There are none.": true, "No calls yet.": true, pushed: false})
	for _, form := range []string{"do=nothing", "do=fault&operation=nothing&status=500&times=1", "do=fault&operation=getUser&times=1", "do=fault&operation=getUser&status=500&times=-1"} {
		r := p.request(http.MethodPost, "/_manage/inspector", form)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		same(t, form, p.send(r).status, http.StatusBadRequest)
	}
}

// The journal on the page has what was sent and answered, but nothing secret of it.
func TestInspector_JournalWithoutSecrets(t *testing.T) {
	p := start(t)
	p.post("/users/alice@sandbox/login", object{"objectType": "LoginInput", "credentials": object{"passKey": "Hidden-1!"}})
	p.post("/users/register", object{"objectType": "RegisterUserInputEx", "userID": "alice", "domain": "sandbox", "staticPassword": "Sandbox-1!"})
	p.shows("in the journal", map[string]bool{
		"&#34;objectType&#34;: &#34;LoginInput&#34;": true, "&#34;passKey&#34;: &#34;•••&#34;": true, "Authentication failed": true,
		"&#34;activationPassword&#34;: &#34;•••&#34;": true, "Hidden-1!": false, "Sandbox-1!": false,
	})
}

// now returns the time on the page.
func (p platform) now() string {
	p.t.Helper()
	_, after, _ := strings.Cut(p.inspector(), `datetime="`)
	text, _, _ := strings.Cut(after, `"`)
	return text
}
