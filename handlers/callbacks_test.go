package handlers_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"countersign/handlers"
	"countersign/internal/fault"
)

// Callbacks of signing show a key, in a header of their own or as Basic, or a token.
func TestCallbacks_Signing(t *testing.T) {
	kept := 0
	keep := func(context.Context, []byte) error { kept++; return nil }
	key := func() string { return "k==" }
	tokens := func(_ context.Context, token string) (bool, error) {
		if token == "away" {
			return false, fault.Wrap(fault.ServerUnavailable, errors.New("no keys"))
		}
		return token == "good", nil
	}
	byKey, byHeader := handlers.Callbacks{SigningKey: key, KeepSigning: keep}, handlers.Callbacks{SigningKey: key, SigningHeader: "X-Key", KeepSigning: keep}
	byToken, both := handlers.Callbacks{SigningToken: tokens, KeepSigning: keep}, handlers.Callbacks{SigningKey: key, SigningToken: tokens, KeepSigning: keep}
	for _, tt := range []struct {
		by        handlers.Callbacks
		shown     http.Header
		want      fault.Key // "" for success
		challenge string
	}{
		{handlers.Callbacks{KeepSigning: keep}, http.Header{"Authorization": {"Basic "}}, fault.RequestNotFound, ""},
		{handlers.Callbacks{KeepSigning: keep, SigningHeader: "X-Key"}, http.Header{"X-Key": {""}}, fault.RequestNotFound, ""},
		{byKey, http.Header{"Authorization": {"Basic k=="}}, "", ""},
		{byKey, http.Header{"Authorization": {"Basic k="}}, fault.SessionRequired, "Basic"},
		{byKey, http.Header{"Authorization": {"Bearer k=="}}, fault.SessionRequired, "Basic"},
		{byKey, http.Header{"Authorization": {"Basic k==", "Basic k=="}}, fault.SessionRequired, "Basic"},
		{byKey, http.Header{"X-Key": {"k=="}}, fault.SessionRequired, "Basic"},
		{byHeader, http.Header{"X-Key": {"k=="}}, "", ""},
		{byHeader, http.Header{"X-Key": {"k==", "k=="}}, fault.SessionRequired, ""},
		{byHeader, http.Header{"X-Key": {"K=="}}, fault.SessionRequired, ""},
		{byHeader, http.Header{"Authorization": {"Basic k=="}}, fault.SessionRequired, ""},
		{byToken, http.Header{"Authorization": {"Bearer good"}}, "", ""},
		{byToken, http.Header{"Authorization": {"bearer bad"}}, fault.SessionRequired, "Bearer"},
		{byToken, http.Header{"Authorization": {"Bearer away"}}, fault.ServerUnavailable, ""},
		{byToken, http.Header{"Authorization": {"Basic good"}}, fault.SessionRequired, "Bearer"},
		{byToken, nil, fault.SessionRequired, "Bearer"},
		{both, http.Header{"Authorization": {"Basic k=="}}, "", ""},
		{both, http.Header{"Authorization": {"Bearer good"}}, "", ""},
		{both, http.Header{"Authorization": {"Bearer k=="}}, fault.SessionRequired, "Basic, Bearer"},
	} {
		kept = 0
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest(http.MethodPost, "/callbacks/signing", strings.NewReader(`{"@class":"x","name":"PACKAGE_CREATE","packageId":"p","message":null}`))
		if tt.shown != nil {
			c.Request.Header = tt.shown
		}
		err := tt.by.Signing(c)
		if tt.want == "" && (err != nil || kept != 1) || tt.want != "" && (!fault.Is(err, tt.want) || kept != 0) {
			t.Errorf("%v: %v, want %q; kept %d", tt.shown, err, tt.want, kept)
		}
		var schemes []string
		for _, value := range c.Writer.Header().Values("WWW-Authenticate") {
			scheme, _, _ := strings.Cut(value, " ")
			schemes = append(schemes, scheme)
		}
		if got := strings.Join(schemes, ", "); got != tt.challenge {
			t.Errorf("%v: challenged by %q, want %q", tt.shown, got, tt.challenge)
		}
	}
}
