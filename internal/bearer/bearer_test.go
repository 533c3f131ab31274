package bearer_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"countersign/internal/bearer"
	"countersign/internal/fault"
)

const issuer, audience = "https://issuer.example/", "countersign"

// service publishes keys, and counts how often they are fetched.
type service struct {
	t       *testing.T
	now     time.Time
	keys    []jose.JSONWebKey
	extra   string // a key more, as it is
	moved   bool   // the keys are at another address
	away    bool
	fetches int
	*bearer.Verifier
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{t: t, now: time.Unix(1_900_000_000, 0)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetches++
		if s.moved && r.URL.Path != "/moved" {
			http.Redirect(w, r, "/moved", http.StatusFound)
			return
		}
		if s.away {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		var all []json.RawMessage
		for _, key := range s.keys {
			public := key.Public()
			text, _ := public.MarshalJSON()
			all = append(all, text)
		}
		if s.extra != "" {
			all = append(all, json.RawMessage(s.extra))
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": all})
	}))
	t.Cleanup(server.Close)
	s.Verifier = bearer.New(bearer.Options{
		Issuer: issuer, Audience: audience, JWKSURL: server.URL, Transport: http.DefaultTransport, Now: func() time.Time { return s.now },
	})
	return s
}

// key makes a key of the service's.
func key(t *testing.T, id string) jose.JSONWebKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: private, KeyID: id, Algorithm: string(jose.ES256), Use: "sig"}
}

// token signs claims, changed by change.
func (s *service) token(by jose.JSONWebKey, change func(*jwt.Claims)) string {
	s.t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if by.KeyID != "" {
		options = options.WithHeader("kid", by.KeyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(by.Algorithm), Key: by.Key}, options)
	if err != nil {
		s.t.Fatal(err)
	}
	claims := jwt.Claims{Issuer: issuer, Audience: jwt.Audience{"other", audience}, Expiry: jwt.NewNumericDate(s.now.Add(time.Minute))}
	if change != nil {
		change(&claims)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *service) admits(what, token string, want bool) {
	s.t.Helper()
	if got, err := s.Admits(s.t.Context(), token); got != want || err != nil {
		s.t.Errorf("%s: %v, %v; want %v", what, got, err, want)
	}
}

func TestAdmits_Claims(t *testing.T) {
	s := newService(t)
	own := key(t, "one")
	s.keys = []jose.JSONWebKey{own}
	at := func(d time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(s.now.Add(d)) }
	for what, c := range map[string]struct {
		change func(*jwt.Claims)
		want   bool
	}{
		"good":                {func(*jwt.Claims) {}, true},
		"without an end":      {func(c *jwt.Claims) { c.Expiry = nil }, false},
		"over":                {func(c *jwt.Claims) { c.Expiry = at(-31 * time.Second) }, false},
		"over by our clock":   {func(c *jwt.Claims) { c.Expiry = at(-29 * time.Second) }, true},
		"not yet":             {func(c *jwt.Claims) { c.NotBefore = at(31 * time.Second) }, false},
		"not yet by a moment": {func(c *jwt.Claims) { c.NotBefore = at(29 * time.Second) }, true},
		"made later":          {func(c *jwt.Claims) { c.IssuedAt = at(time.Minute) }, false},
		"another issuer":      {func(c *jwt.Claims) { c.Issuer = "https://other.example/" }, false},
		"no issuer":           {func(c *jwt.Claims) { c.Issuer = "" }, false},
		"another audience":    {func(c *jwt.Claims) { c.Audience = jwt.Audience{"other"} }, false},
		"no audience":         {func(c *jwt.Claims) { c.Audience = nil }, false},
	} {
		s.admits(what, s.token(own, c.change), c.want)
	}
	good := s.token(own, nil)
	for what, token := range map[string]string{
		"nothing": "", "no token": "x.y.z", "unsigned": "eyJhbGciOiJub25lIn0" + good[strings.IndexByte(good, '.'):], "long": good + strings.Repeat("A", 9<<10), "cut": good[:len(good)-2],
	} {
		s.admits(what, token, false)
	}
	if s.fetches != 1 {
		t.Errorf("the keys were fetched %d times", s.fetches)
	}
}

// A token is signed with a key of the issuer's, by an algorithm of public keys.
func TestAdmits_Signatures(t *testing.T) {
	s := newService(t)
	own, other := key(t, "one"), key(t, "one")
	s.keys, s.extra = []jose.JSONWebKey{own}, `{"kty":"future","kid":"x"}`
	s.admits("another's key under its id", s.token(other, nil), false)
	without := own
	without.KeyID = ""
	s.admits("without an id", s.token(without, nil), true)
	public, _ := own.Public().MarshalJSON()
	s.admits("the public key as a secret", s.token(jose.JSONWebKey{Key: public, KeyID: "one", Algorithm: string(jose.HS256)}, nil), false)
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	rs := jose.JSONWebKey{Key: private, KeyID: "two", Algorithm: string(jose.RS256), Use: "enc"}
	s.now, s.keys = s.now.Add(2*time.Minute), []jose.JSONWebKey{own, rs}
	s.admits("a key for another use", s.token(rs, nil), false)
	rs.Use = ""
	s.now, s.keys = s.now.Add(2*time.Minute), []jose.JSONWebKey{own, rs}
	s.admits("RSA", s.token(rs, nil), true)
	ps := rs
	ps.Algorithm = string(jose.PS256)
	s.admits("another algorithm than the key's", s.token(ps, nil), false)
	if _, ok := own.Key.(crypto.Signer); !ok {
		t.Error("the key signs nothing")
	}
}

// Keys are fetched again for an id that is not known, once a minute at most.
func TestAdmits_Rotation(t *testing.T) {
	s := newService(t)
	one, two := key(t, "one"), key(t, "two")
	s.keys = []jose.JSONWebKey{one}
	s.admits("the first", s.token(one, nil), true)
	s.keys = []jose.JSONWebKey{two}
	for range 3 {
		s.admits("the second within a minute", s.token(two, nil), false)
	}
	if s.fetches != 1 {
		t.Errorf("the keys were fetched %d times within a minute", s.fetches)
	}
	s.now = s.now.Add(time.Minute)
	s.admits("the second", s.token(two, nil), true)
	s.admits("the first, which is gone", s.token(one, nil), false)
	if s.fetches != 2 {
		t.Errorf("the keys were fetched %d times", s.fetches)
	}
	nameless := key(t, "three") // in the set, but not in the token
	inToken := nameless
	inToken.KeyID = ""
	s.now, s.keys = s.now.Add(time.Minute), []jose.JSONWebKey{nameless}
	s.admits("a new key that the token does not name", s.token(inToken, nil), true)
	s.now, s.keys = s.now.Add(time.Hour), []jose.JSONWebKey{one}
	s.admits("the first after an hour", s.token(one, nil), true)
	s.admits("the second, which is gone", s.token(two, nil), false)
}

// Without keys nobody is admitted, and nobody is refused either; keys that were fetched are
// good for a day.
func TestAdmits_KeysAway(t *testing.T) {
	s := newService(t)
	one := key(t, "one")
	s.keys, s.away = []jose.JSONWebKey{one}, true
	unavailable := func(what string) {
		t.Helper()
		if ok, err := s.Admits(t.Context(), s.token(one, nil)); ok || !fault.Is(err, fault.ServerUnavailable) {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
	}
	unavailable("at first")
	s.away = false
	unavailable("within a minute")
	if s.fetches != 1 {
		t.Errorf("the keys were fetched %d times within a minute", s.fetches)
	}
	s.now = s.now.Add(time.Minute)
	s.admits("when they are back", s.token(one, nil), true)
	s.away, s.now = true, s.now.Add(23*time.Hour)
	s.admits("for a day", s.token(one, nil), true)
	s.now = s.now.Add(time.Hour)
	unavailable("after a day")
	s.away, s.keys, s.now = false, nil, s.now.Add(time.Minute)
	unavailable("an empty set")
}

// Keys come from the issuer's own address, in a set of a bounded length.
func TestAdmits_OddSets(t *testing.T) {
	for what, change := range map[string]func(*service){
		"a set that is too long":   func(s *service) { s.extra = `{"kty":"oct","k":"` + strings.Repeat("A", 256<<10) + `"}` },
		"a set at another address": func(s *service) { s.moved = true },
	} {
		s := newService(t)
		own := key(t, "one")
		s.keys = []jose.JSONWebKey{own}
		change(s)
		if ok, err := s.Admits(t.Context(), s.token(own, nil)); ok || !fault.Is(err, fault.ServerUnavailable) {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
	}
}
