package signing

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"countersign/internal/sandbox/wire"
)

// The client of OAuth 2.0 that the account has.
const (
	ClientID     = "sandbox-client"
	ClientSecret = "sandbox-secret"
)

// tokenLife is how long an access token counts.
const tokenLife = 299 * time.Second

// The ways in which callers authenticate; an account has one of them.
const (
	byKey   = "key"
	byOAuth = "oauth"
)

// callers authenticates the callers of the API. It is safe for concurrent use.
type callers struct {
	now    func() time.Time
	key    string // the API key; "" for any
	secret string // of the client

	mu     sync.Mutex
	oauth  bool
	tokens map[string]time.Time // each with its end
}

func newCallers(o Options) *callers {
	return &callers{now: o.Now, key: o.APIKey, secret: cmp.Or(o.APIKey, ClientSecret)}
}

// change sets the way, and ends all tokens.
func (a *callers) change(way string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.oauth, a.tokens = way == byOAuth, map[string]time.Time{}
}

// credential is the Credential of the API's routes.
func (a *callers) credential(r *http.Request) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	bearer := strings.EqualFold(scheme, "Bearer")
	switch {
	case !a.oauth && !bearer:
		return wire.APIKey(r, a.key)
	case !a.oauth:
		return wire.CredentialWrong, wire.Refuse(http.StatusUnauthorized, "The account does not use OAuth 2.0")
	case scheme == "":
		return wire.CredentialNone, wire.Refuse(http.StatusUnauthorized, "The access token is missing")
	case !bearer:
		return wire.CredentialWrong, wire.Refuse(http.StatusUnauthorized, "The account uses OAuth 2.0")
	case a.now().Before(a.tokens[token]):
		return wire.CredentialOK, nil
	}
	return wire.CredentialWrong, wire.Refuse(http.StatusUnauthorized, "The access token is unknown or has expired")
}

// tokenRoute returns the token endpoint (RFC 6749 section 4.4).
func (a *callers) tokenRoute() wire.Route {
	return wire.Route{Operation: "requestToken", Method: http.MethodPost, Path: "/oauth2/token", Call: a.requestToken, Credential: func(r *http.Request) (string, error) {
		return a.client(r), nil // a refusal has another form
	}}
}

// client returns the kind of the client's credential.
func (a *callers) client(r *http.Request) string {
	id, secret, ok := r.BasicAuth()
	if r.Header.Get("Authorization") == "" {
		return wire.CredentialNone
	}
	id, idErr := url.QueryUnescape(id)
	secret, secretErr := url.QueryUnescape(secret)
	if !ok || idErr != nil || secretErr != nil || id != ClientID || subtle.ConstantTimeCompare([]byte(secret), []byte(a.secret)) != 1 {
		return wire.CredentialWrong
	}
	return wire.CredentialOK
}

// requestToken hands out a token, whichever way the account uses.
func (a *callers) requestToken(r *http.Request) (any, error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isForm := media == "application/x-www-form-urlencoded" && r.ParseForm() == nil
	form := r.PostForm
	switch {
	case !isForm:
		return tokenRefusal("invalid_request"), nil
	case a.client(r) != wire.CredentialOK:
		return tokenRefusal("invalid_client"), nil
	case len(form["grant_type"]) != 1 || form.Has("client_id") || form.Has("client_secret"):
		return tokenRefusal("invalid_request"), nil
	case form.Get("grant_type") != "client_credentials":
		return tokenRefusal("unsupported_grant_type"), nil
	}
	return struct {
		AccessToken string `json:"access_token"`
		TokenType   string `json:"token_type"`
		Scope       string `json:"scope"`
		ExpiresIn   int    `json:"expires_in"`
	}{a.newToken(), "Bearer", "signing", int(tokenLife.Seconds())}, nil
}

func (a *callers) newToken() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	now, token := a.now(), rand.Text()
	maps.DeleteFunc(a.tokens, func(_ string, end time.Time) bool { return !now.Before(end) })
	a.tokens[token] = now.Add(tokenLife)
	return token
}

// tokenRefusal is an error of the token endpoint (RFC 6749 section 5.2).
type tokenRefusal string

// ServeHTTP answers with the error.
func (e tokenRefusal) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	status := http.StatusBadRequest
	if e == "invalid_client" {
		status = http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", `Basic realm="sandbox"`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q}`, string(e))
}
