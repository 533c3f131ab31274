package dpop_test

import (
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/dpop"
)

func TestClaims_Refused(t *testing.T) {
	t.Parallel()
	v, s := verifier(t, nil), elliptical(t, "ES256", elliptic.P256())
	sum := sha256.Sum256([]byte(token))
	for name, payload := range map[string]any{
		"no jti":            with(good(), "jti", nil),
		"an empty jti":      with(good(), "jti", ""),
		"a long jti":        with(good(), "jti", strings.Repeat("é", 256)),
		"a number as jti":   with(good(), "jti", 7),
		"no htm":            with(good(), "htm", nil),
		"another method":    with(good(), "htm", "POST"),
		"htm in lower case": with(good(), "htm", "get"),
		"no htu":            with(good(), "htu", nil),
		"another path":      with(good(), "htu", origin+"/sessions"),
		"a slash more":      with(good(), "htu", origin+"/session/"),
		"a path alone":      with(good(), "htu", "/session"),
		"another host":      with(good(), "htu", "https://other.example/session"),
		"a longer host":     with(good(), "htu", "https://countersign.example.org/session"),
		"another scheme":    with(good(), "htu", "http://countersign.example/session"),
		"no known scheme":   with(good(), "htu", "ftp://countersign.example/session"),
		"another port":      with(good(), "htu", "https://countersign.example:8443/session"),
		"a user":            with(good(), "htu", "https://user@countersign.example/session"),
		"no iat":            with(good(), "iat", nil),
		"iat as a text":     with(good(), "iat", fmt.Sprint(noon.Unix())),
		"an old iat":        with(good(), "iat", noon.Unix()-61),
		"an early iat":      with(good(), "iat", noon.Unix()+61),
		"iat of no time":    strings.Replace(mustJSON(t, good()), fmt.Sprint(noon.Unix()), "1e400", 1),
		"a far iat":         with(good(), "iat", 1e300),
		"exp is over":       with(good(), "exp", noon.Unix()),
		"exp at 1970":       with(good(), "exp", 0),
		"exp before iat":    with(with(good(), "iat", noon.Unix()+60), "exp", noon.Unix()-1),
		"exp as a text":     with(good(), "exp", fmt.Sprint(noon.Unix()+60)),
		"nbf to come":       with(good(), "nbf", noon.Unix()+1),
		"nbf after iat":     with(with(good(), "iat", noon.Unix()+10), "nbf", noon.Unix()+11),
		"nbf as an object":  with(good(), "nbf", map[string]int{}),
		"no ath":            with(good(), "ath", nil),
		"another token":     with(good(), "ath", text(make([]byte, 32))),
		"ath with padding":  with(good(), "ath", text(sum[:])+"="),
		"ath in hex":        with(good(), "ath", fmt.Sprintf("%x", sum)),
		"jti twice":         strings.Replace(mustJSON(t, good()), "{", `{"jti":"b",`, 1),
		"ath twice":         strings.Replace(mustJSON(t, good()), "{", `{"ath":"",`, 1),
		"no object":         `"claims"`,
		"nothing":           ``,
		"null":              `null`,
		"no UTF-8":          strings.Replace(mustJSON(t, good()), "a jti", "a\xff", 1),
	} {
		_, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), payload)), token)
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		refused(t, err, dpop.InvalidProof)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestClaims_Accepted(t *testing.T) {
	t.Parallel()
	v, s := verifier(t, nil), elliptical(t, "ES256", elliptic.P256())
	for name, payload := range map[string]any{
		"the oldest":       with(good(), "iat", noon.Unix()-60),
		"the youngest":     with(good(), "iat", noon.Unix()+60),
		"a fraction":       with(good(), "iat", float64(noon.Unix())+0.25),
		"a jti of 255":     with(good(), "jti", strings.Repeat("é", 255)),
		"exp to come":      with(good(), "exp", noon.Unix()+1),
		"a far exp":        with(good(), "exp", 1e300),
		"nbf is now":       with(good(), "nbf", noon.Unix()),
		"nbf is iat":       with(with(good(), "iat", noon.Unix()+60), "nbf", noon.Unix()+60),
		"an unknown claim": with(good(), "other", []int{1}),
		"a nonce unasked":  with(good(), "nonce", "whatever"),
	} {
		if _, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), payload)), token); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), with(good(), "ath", nil))), ""); err != nil {
		t.Errorf("without a token: %v", err)
	}
}

func TestVerify_Addresses(t *testing.T) {
	t.Parallel()
	v, s := verifier(t, nil), elliptical(t, "ES256", elliptic.P256())
	for _, tt := range []struct {
		target, htu string
		good        bool
	}{
		{"/session", "HTTPS://Countersign.EXAMPLE/session", true},
		{"/session", "https://countersign.example:443/session", true},
		{"/session", "https://countersign.example:/session", true},
		{"/session", "https://%63ountersign.example/session", true},
		{"/session", "https://countersign.example/%73ession", true},
		{"/%73ession", "https://countersign.example/session", true},
		{"/session", "https://countersign.example/a/../session", true},
		{"/session", "https://countersign.example/./session", true},
		{"/session", "https://countersign.example/%2e%2E/session", true},
		{"/session?a=b", "https://countersign.example/session", true},
		{"/session?a=b", "https://countersign.example/session?c=d#e", true},
		{"/session", "https://countersign.example/session#e", true},
		{"/", "https://countersign.example", true},
		{"/?a=b", "https://countersign.example?c", true},
		{"/a%2fb", "https://countersign.example/a%2Fb", true},
		{"/a%2Fb", "https://countersign.example/a/b", false},
		{"/users/alice@sandbox/login", "https://countersign.example/users/alice@sandbox/login", true},
		{"/users/alice%40sandbox/login", "https://countersign.example/users/alice%40sandbox/login", true},
		{"/users/alice@sandbox/login", "https://countersign.example/users/alice%40sandbox/login", false}, // @ is reserved
		{"/a//b", "https://countersign.example/a//b", true},
		{"/a//b", "https://countersign.example/a/b", false},
		{"/Session", "https://countersign.example/session", false},
		{"/100%", "https://countersign.example/100%", true},
		{"/session", "https://countersign.example@other.example/session", false},
		{"/session", "https:///session", false},
		{"/session", "https:countersign.example/session", false},
		{"/session", " https://countersign.example/session", false},
		{"https://countersign.example/session?a", "https://countersign.example/session", true}, // absolute-form
	} {
		r := request("GET", "/", s.jwt(t, s.header(), with(good(), "htu", tt.htu)))
		r.RequestURI = tt.target
		if _, err := v.Verify(r, token); (err == nil) != tt.good {
			t.Errorf("%s for %s: %v", tt.htu, tt.target, err)
		}
	}
}
