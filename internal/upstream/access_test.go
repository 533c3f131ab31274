package upstream_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/upstream"
)

// Calls after Renew show the new certificate over a new connection, and believe the new
// authorities alone. A call under way ends as it began.
func TestRenew_Certificate(t *testing.T) {
	servers, clients := newAuthority(t), newAuthority(t)
	url := mutual(t, servers, clients)
	cert, key := clients.issue(t, "old")
	c := client(t, url, upstream.Options{TLS: clientTLS(t, cert, key, servers.pem)})
	who := func() (name string, err error) { err = c.JSON(t.Context(), post, &name); return name, err }
	if name, err := who(); err != nil || name != "old HTTP/2.0" {
		t.Fatalf("%q, %v", name, err)
	}
	cert, key = clients.issue(t, "new")
	if err := c.Renew(upstream.Options{BaseURL: url + "/", TLS: clientTLS(t, cert, key, servers.pem)}); err != nil {
		t.Fatal(err)
	}
	if name, err := who(); err != nil || name != "new HTTP/2.0" {
		t.Errorf("%q, %v", name, err)
	}
	if err := c.Renew(upstream.Options{BaseURL: url, TLS: clientTLS(t, cert, key, newAuthority(t).pem)}); err != nil {
		t.Fatal(err)
	}
	if _, err := who(); err == nil {
		t.Error("a platform of another authority is believed")
	}
}

// Calls after Renew carry the new Authorization and headers; the one under way ends as it
// began, and no error shows either.
func TestRenew_AuthorizationAndHeaders(t *testing.T) {
	arrived, goOn := make(chan string, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("Authorization") + " " + r.Header.Get("X-Tenant")
		if r.URL.Path == "/slow" {
			arrived <- shown
			<-goOn
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"message":"you showed %s"}`, shown)
			return
		}
		io.WriteString(w, `"`+shown+`"`)
	}))
	t.Cleanup(server.Close)
	options := upstream.Options{Authorization: "Basic old-key", Header: http.Header{"X-Tenant": {"one"}}}
	c := client(t, server.URL, options)
	failed := make(chan error, 1)
	go func() {
		slow := post
		slow.Path = "/slow"
		failed <- c.JSON(t.Context(), slow, nil)
	}()
	if shown := <-arrived; shown != "Basic old-key one" {
		t.Errorf("shown %q", shown)
	}
	options.BaseURL, options.Authorization, options.Header = server.URL, "Basic new-key", http.Header{"X-Tenant": {"two"}}
	if err := c.Renew(options); err != nil {
		t.Fatal(err)
	}
	var shown string
	if err := c.JSON(t.Context(), post, &shown); err != nil || shown != "Basic new-key two" {
		t.Errorf("%q, %v", shown, err)
	}
	close(goOn)
	err := <-failed
	if said, ok := errors.AsType[*upstream.Error](err); !ok || strings.Contains(said.Message, "old-key") || strings.Contains(err.Error(), "old-key") {
		t.Errorf("the call under way: %v", err)
	}
}

// What Renew cannot use changes nothing.
func TestRenew_InvalidAccessChangesNothing(t *testing.T) {
	url := platform(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `"`+r.Header.Get("Authorization")+`"`) })
	c := client(t, url, upstream.Options{Authorization: "Basic old-key"})
	for name, o := range map[string]upstream.Options{
		"another address":        {BaseURL: url + "/v2"},
		"no address":             {},
		"another kind":           {BaseURL: url, OAuth: &upstream.OAuth{ID: "id", Secret: "hidden", TokenURL: url}},
		"what no header carries": {BaseURL: url, Authorization: "Basic hidden\n"},
		"TLS without https":      {BaseURL: url, TLS: &tls.Config{}},
	} {
		if err := c.Renew(o); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var shown string
	if err := c.JSON(t.Context(), post, &shown); err != nil || shown != "Basic old-key" {
		t.Errorf("%q, %v", shown, err)
	}
}

// A new secret is shown for the next token, at once where the old one was refused. Until then
// the token that is there goes on.
func TestRenew_ClientSecret(t *testing.T) {
	n := newTenant(t)
	n.requires("first")
	c := n.client(upstream.Options{})
	if err := c.JSON(t.Context(), post, nil); err == nil {
		t.Fatal("a call without a token")
	}
	asked := n.requests()
	renew := func(secret string) {
		t.Helper()
		err := c.Renew(upstream.Options{BaseURL: n.url, Now: n.clock, Logger: n.log.Logger(), OAuth: &upstream.OAuth{ID: clientID, Secret: secret, TokenURL: n.url + "/oauth2/token"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	n.requires("right")
	renew("right")
	if err := c.JSON(t.Context(), post, nil); err != nil || n.requests() != asked+1 {
		t.Errorf("%v after %d requests for a token", err, n.requests()-asked)
	}
	n.requires("third")
	renew("third")
	if err := c.JSON(t.Context(), post, nil); err != nil || n.requests() != asked+1 {
		t.Errorf("with a token that is good: %v after %d requests", err, n.requests()-asked)
	}
}
