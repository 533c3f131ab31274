package bearer

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

const (
	// fetchApart is the least time between two fetches, whatever became of the first.
	fetchApart = time.Minute
	// freshFor is how long keys are used without being fetched again, and usableFor how long
	// they are while they cannot be.
	freshFor  = time.Hour
	usableFor = 24 * time.Hour
	// fetchWithin limits the time of a fetch.
	fetchWithin = 2 * time.Second
	// maxSet limits the length of a set, in bytes, and minRSA an RSA key, in bits.
	maxSet = 256 << 10
	minRSA = 2048
)

// keySet holds an issuer's keys.
type keySet struct {
	url    string
	client *http.Client
	now    func() time.Time

	turn  chan struct{} // is held by the one that uses what follows
	keys  []jose.JSONWebKey
	got   time.Time // when keys were fetched
	tried time.Time // when a fetch began
	err   error     // of that fetch
}

func newKeySet(o Options) *keySet {
	client := &http.Client{
		Transport: o.Transport, Timeout: fetchWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &keySet{url: o.JWKSURL, client: client, now: o.Now, turn: make(chan struct{}, 1)}
}

// known returns the keys that were fetched within freshFor; else those that are published,
// or, while they cannot be fetched, the last ones.
func (s *keySet) known(ctx context.Context) ([]jose.JSONWebKey, error) {
	return s.get(ctx, func() bool { return s.keys != nil && s.now().Sub(s.got) < freshFor })
}

// published returns the keys as the issuer publishes them now, or did within fetchApart.
func (s *keySet) published(ctx context.Context) ([]jose.JSONWebKey, error) {
	return s.get(ctx, func() bool { return false })
}

// get returns the keys. It fetches them unless isFine, but seldom enough. The error is
// server.unavailable.
func (s *keySet) get(ctx context.Context, isFine func() bool) ([]jose.JSONWebKey, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, fault.Wrap(fault.ServerUnavailable, ctx.Err())
	}
	if isFine() {
		return s.keys, nil
	}
	if now := s.now(); s.tried.IsZero() || now.Sub(s.tried) >= fetchApart {
		s.tried = now
		var keys []jose.JSONWebKey
		if keys, s.err = s.fetch(ctx); s.err == nil {
			s.keys, s.got = keys, now
		}
	}
	if s.keys == nil || s.now().Sub(s.got) >= usableFor {
		return nil, fault.Wrap(fault.ServerUnavailable, s.err).After(fetchApart)
	}
	return s.keys, nil
}

// fetch reads the keys that the issuer publishes. Whether the caller waits makes no
// difference: the next one needs them too.
func (s *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, s.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	response, err := s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("bearer: fetch the keys: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("bearer: fetch the keys: status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxSet+1))
	if err == nil && len(text) > maxSet {
		err = errors.New("too long")
	}
	if err != nil {
		return nil, fmt.Errorf("bearer: read the keys: %w", err)
	}
	return readKeys(text)
}

// readKeys returns the public keys of a JWK set that may sign. Those of a kind that is not
// known are left out.
func readKeys(text []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("bearer: read the keys: %w", err)
	}
	keys := []jose.JSONWebKey{}
	for _, one := range set.Keys {
		var key jose.JSONWebKey
		if err := key.UnmarshalJSON(one); err != nil || !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
			continue
		}
		if public, ok := key.Key.(*rsa.PublicKey); ok && public.N.BitLen() < minRSA {
			continue
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("bearer: the set has no key that signs")
	}
	return keys, nil
}
