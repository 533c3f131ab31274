package cli_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// signedJWT is the form of a proof. Three letters of it may stand in any random text.
var signedJWT = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.`)

// With --dpop every command works in a bound session, also where every app must have one
// and every proof needs a nonce.
func TestDPoP_EveryCommand(t *testing.T) {
	for name, settings := range map[string][]string{"asked for nothing": nil, "bound, with nonces": {"APP_SESSIONS=bound", "DPOP_NONCE=on"}} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t, e2etest.Boot(t, settings...).URL())
			out := s.authenticator("register", "--dpop", "-v").exits(0, "> DPoP: …", "> Authorization: DPoP …", `"tokenType": "DPoP"`, "Registered, UAF status 1200")
			if signedJWT.MatchString(out.out) || strings.Contains(out.out, "Bearer") {
				t.Errorf("a proof or another scheme is shown:\n%s", out.out)
			}
			before := s.proofKey()
			s.authenticator("sign-in", "--dpop").exits(0, "Signed in as alice@sandbox (Alice Archer), by uaf.", "Signed out.")
			s.authenticator("confirm", "--dpop").exits(0, "The transaction is accepted")
			s.run("authenticator", "--dpop", "sign-in", "--store", s.store, "--url", s.url).exits(0, "Signed out.")
			s.authenticator("remove", "--dpop").exits(0, "Forgot 1 key")
			if s.proofKey() != before {
				t.Error("the key is another after some commands")
			}
			if settings != nil {
				s.authenticator("register").exits(1, "session.proof-required")
			}
		})
	}
}

// proofKey returns the part of the file of keys after the name of the app's key.
func (s *shell) proofKey() string {
	s.t.Helper()
	data, err := os.ReadFile(s.store)
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), `"proofKey"`)
	key, _, _ := strings.Cut(rest, "}")
	if !strings.Contains(key, `"d"`) {
		s.t.Fatalf("no key in %s", data)
	}
	return key
}

func TestProof_PrintedForRequest(t *testing.T) {
	s := newShell(t, "http://localhost:8080")
	one := s.authenticator("proof", "--method", "POST", "--path", "/users/alice@sandbox/login").exits(0).out
	if strings.Count(one, ".") != 2 || one == s.authenticator("proof").exits(0).out {
		t.Errorf("%s", one)
	}
	s.authenticator("proof", "--path", "session").exits(2, "begins with a slash")
}
