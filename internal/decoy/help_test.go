package decoy_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/redis/go-redis/v9"

	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/uaf"
)

const (
	alice = "alice@sandbox"
	rpID  = "example.org"
	appID = "https://example.org/uaf/facets"
)

var (
	fido2 = decoy.Question{Protocol: ceremony.FIDO2}
	uaf11 = decoy.Question{Protocol: ceremony.UAF11}
	key   = bytes.Repeat([]byte{7}, 32)
)

func embedded(t testing.TB) redis.Cmdable { t.Helper(); return dbtest.Embedded(t).Client }

// node returns a node of an installation whose settings list models.
func node(client redis.Cmdable, models ...uaf.AAID) *decoy.Service {
	return decoy.New(decoy.Options{Redis: client, Key: key, RPID: rpID, AppID: appID, Models: models})
}

func recall(t testing.TB, s *decoy.Service) decoy.Records {
	t.Helper()
	r, err := s.Recall(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// real returns the platform's answer to q for user as other clients see it.
func real(t testing.TB, s *decoy.Service, q decoy.Question, user, request string) string {
	t.Helper()
	shown, err := recall(t, s).Real(t.Context(), q, user, request)
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return readable(t, q, shown)
}

// made returns the decoy of user.
func made(t testing.TB, s *decoy.Service, q decoy.Question, user string) string {
	t.Helper()
	text, err := recall(t, s).Decoy(q, user)
	if err != nil {
		t.Fatalf("decoy of %s: %v", user, err)
	}
	return readable(t, q, text)
}

func readable(t testing.TB, q decoy.Question, text string) string {
	t.Helper()
	if _, err := ceremony.FromAuthenticationRequest(q.Protocol, text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return text
}

func nobody(i int) string { return fmt.Sprintf("nobody%d@sandbox", i) }

func encode(n int, of byte) string {
	return base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{of}, n))
}

// options are FIDO2's request options as a client parses them.
type options struct {
	Challenge        string         `json:"challenge"`
	Timeout          float64        `json:"timeout"`
	RPID             string         `json:"rpId"`
	UserVerification string         `json:"userVerification"`
	Extensions       map[string]any `json:"extensions"`
	AllowCredentials []struct {
		ID         string   `json:"id"`
		Transports []string `json:"transports"`
	} `json:"allowCredentials"`
}

func decode(t testing.TB, text string) (o options) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// parsed returns a UAF request as its client parses it, and the keys that it names.
func parsed(t testing.TB, text string) (*uaf.AuthenticationRequest, []uaf.MatchCriteria) {
	t.Helper()
	r, err := uaf.ParseAuthenticationRequest(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var keys []uaf.MatchCriteria
	for _, alternative := range r.Policy.Accepted {
		if len(alternative) != 1 {
			t.Fatalf("an alternative of %d criteria in %s", len(alternative), text)
		}
		keys = append(keys, alternative...)
	}
	return r, keys
}
