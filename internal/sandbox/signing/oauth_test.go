package signing_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/sandbox/signing"
)

const grant = "grant_type=client_credentials"

// tokenEndpoint posts a form to the token endpoint, as a client of that credential.
func (c client) tokenEndpoint(contentType, form, id, secret string) answer {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url+"/oauth2/token", strings.NewReader(form))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	if id != "" {
		r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	}
	return c.do(r)
}

func (c client) requestToken(form, id, secret string) answer {
	c.t.Helper()
	return c.tokenEndpoint("application/x-www-form-urlencoded; charset=utf-8", form, id, secret)
}

// bearer returns the Authorization of a new access token.
func (c client) bearer(secret string) string {
	c.t.Helper()
	a := c.requestToken(grant, signing.ClientID, secret)
	got := a.ok()
	token, _ := got["access_token"].(string)
	same(c.t, "type", got["token_type"], any("Bearer"))
	same(c.t, "life", got["expires_in"], any(float64(299)))
	same(c.t, "cached", a.header.Get("Cache-Control"), "no-store")
	return "Bearer " + token
}

// lists returns the status of a list of packages by Authorization.
func (c client) lists(authorization string) int {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.url+"/api/packages", http.NoBody)
	if err != nil {
		c.t.Fatal(err)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return c.do(r).status
}

// An account takes keys or tokens, never both.
func TestAuthentication_KeysOrTokens(t *testing.T) {
	c := startWithKey(t, "k3y")
	token := func() string { t.Helper(); return c.bearer("k3y") }
	check := func(name string, statuses map[string]int) {
		t.Helper()
		for authorization, status := range statuses {
			same(t, name+" "+authorization, c.lists(authorization), status)
		}
	}
	early := token()
	check("key", map[string]int{"Basic k3y": 200, "Basic x": 401, early: 401, "": 401})
	c.manage("PUT", "account", object{"authentication": "oauth"})
	check("a token from before", map[string]int{early: 401})
	first, second := token(), token()
	check("oauth", map[string]int{first: 200, second: 200, "Basic k3y": 401, "": 401, "Bearer ": 401, "Bearer x": 401, strings.TrimPrefix(first, "Bearer "): 401})
	c.manage("POST", "clock", object{"advance": "290s"})
	check("near its end", map[string]int{first: 200})
	c.manage("POST", "clock", object{"advance": "9s"})
	check("after its end", map[string]int{first: 401, token(): 200})
	last := token()
	c.manage("PUT", "account", object{"maxPage": 7})
	check("another change", map[string]int{last: 200})
	c.manage("PUT", "account", object{"authentication": "oauth"})
	check("revoked", map[string]int{last: 401})
	c.manage("PUT", "account", object{"authentication": "key"})
	check("key again", map[string]int{"Basic k3y": 200, token(): 401})
	c.manage("PUT", "account", object{"authentication": "oauth"})
	last = token()
	c.manage("POST", "reset", nil)
	check("after a reset", map[string]int{"Basic k3y": 200, last: 401})
	same(t, "an unknown way", c.call("PUT", "/_manage/account", object{"authentication": "both"}).status, http.StatusBadRequest)
}

func TestToken_RefusedWithoutKey(t *testing.T) {
	c := start(t)
	same(t, "anything", c.lists("Basic x"), http.StatusOK)
	same(t, "a token", c.lists(c.bearer(signing.ClientSecret)), http.StatusUnauthorized)
	c.manage("PUT", "account", object{"authentication": "oauth"})
	same(t, "nothing", c.lists(""), http.StatusUnauthorized)
	same(t, "a token of OAuth", c.lists(c.bearer(signing.ClientSecret)), http.StatusOK)
	same(t, "a page of a signer's", c.get("/sign/x").status == http.StatusUnauthorized, false)
}

func TestTokenEndpoint_Strict(t *testing.T) {
	c := start(t)
	for _, tt := range []struct {
		form, id, secret string
		status           int
		says             string
	}{
		{grant, "", "", 401, "invalid_client"},
		{grant, signing.ClientID, "wrong", 401, "invalid_client"},
		{grant, "wrong", signing.ClientSecret, 401, "invalid_client"},
		{grant + "&client_id=" + signing.ClientID + "&client_secret=" + signing.ClientSecret, "", "", 401, "invalid_client"},
		{grant + "&client_id=" + signing.ClientID, signing.ClientID, signing.ClientSecret, 400, "invalid_request"},
		{"", signing.ClientID, signing.ClientSecret, 400, "invalid_request"},
		{grant + "&" + grant, signing.ClientID, signing.ClientSecret, 400, "invalid_request"},
		{"grant_type=%zz", signing.ClientID, signing.ClientSecret, 400, "invalid_request"},
		{"grant_type=password", signing.ClientID, signing.ClientSecret, 400, "unsupported_grant_type"},
		{grant + "&scope=x", signing.ClientID, signing.ClientSecret, 200, ""},
	} {
		a := c.requestToken(tt.form, tt.id, tt.secret)
		var body struct{ Error string }
		if err := json.Unmarshal([]byte(a.text), &body); err != nil || a.status != tt.status || body.Error != tt.says {
			t.Errorf("%q by %q: %d %s", tt.form, tt.id, a.status, a.text)
		}
		same(t, "asks for the client", a.header.Get("WWW-Authenticate") != "", tt.status == 401)
	}
	same(t, "JSON", c.tokenEndpoint("application/json", `{"grant_type":"client_credentials"}`, signing.ClientID, signing.ClientSecret).status, http.StatusBadRequest)
	same(t, "a GET", c.get("/oauth2/token").status, http.StatusMethodNotAllowed)
	entries := c.get("/_manage/journal").ok()["entries"].([]any)
	for i, credential := range []string{"none", "wrong", "wrong", "none", "ok"} {
		entry := entries[i].(map[string]any)
		same(t, "operation", entry["operation"], any("requestToken"))
		same(t, "credential", entry["credential"], any(credential))
	}
}
