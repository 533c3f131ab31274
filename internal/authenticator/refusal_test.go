package authenticator_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/internal/authenticator"
)

func TestCreate_Refused(t *testing.T) {
	t.Parallel()
	plain := authenticator.Options{Origin: origin}
	selection := func(name string, value any) map[string]any {
		return map[string]any{"authenticatorSelection": map[string]any{name: value}}
	}
	for name, c := range map[string]struct {
		options authenticator.Options
		extra   map[string]any
		want    error
	}{
		"an algorithm that is not offered": {plain, map[string]any{"pubKeyCredParams": []any{map[string]any{"type": "public-key", "alg": -8}}}, authenticator.ErrNotSupported},
		"an unknown algorithm":             {authenticator.Options{Origin: origin, Algorithm: "HS256"}, nil, authenticator.ErrNotSupported},
		"an unknown attestation":           {authenticator.Options{Origin: origin, Attestation: "tpm"}, map[string]any{"attestation": "direct"}, authenticator.ErrNotSupported},
		"another attachment":               {plain, selection("authenticatorAttachment", "platform"), authenticator.ErrConstraint},
		"a resident key, as of level 1":    {plain, selection("requireResidentKey", true), authenticator.ErrConstraint},
		"a resident key, as of level 2":    {plain, selection("residentKey", "required"), authenticator.ErrConstraint},
		"user verification":                {plain, selection("userVerification", "required"), authenticator.ErrConstraint},
		"another site's relying party":     {plain, map[string]any{"rp": map[string]any{"id": "example.com"}}, authenticator.ErrSecurity},
		"a suffix that is not a domain":    {plain, map[string]any{"rp": map[string]any{"id": "ample.org"}}, authenticator.ErrSecurity},
		"an app without a relying party":   {authenticator.Options{Origin: "android:apk-key-hash:x"}, map[string]any{"rp": map[string]any{}}, authenticator.ErrSecurity},
		"no origin":                        {authenticator.Options{}, nil, authenticator.ErrSecurity},
		"no challenge":                     {plain, map[string]any{"challenge": ""}, authenticator.ErrOptions},
		"a padded challenge":               {plain, map[string]any{"challenge": "AAA="}, authenticator.ErrOptions},
		"no user handle":                   {plain, map[string]any{"user": map[string]any{"id": ""}}, authenticator.ErrOptions},
		"a user handle too long":           {plain, map[string]any{"user": map[string]any{"id": strings.Repeat("A", 88)}}, authenticator.ErrOptions},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := authenticator.NewFIDO2(c.options).Create(newParty(t).creation(c.extra))
			if !errors.Is(err, c.want) {
				t.Errorf("%q, %v, want %v", text, err, c.want)
			}
		})
	}
}

func TestGet_Refused(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	made := p.register(a, nil)
	held := allow(made.RawID)
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"a credential of someone else": {p.request(allow([]byte("someone else's"))), authenticator.ErrNoCredential},
		"a credential of another type": {p.request(map[string]any{"allowCredentials": []any{map[string]any{"type": "password", "id": encode(made.RawID)}}}), authenticator.ErrNoCredential},
		"no list, not discoverable":    {p.request(nil), authenticator.ErrNoCredential},
		"another relying party":        {p.options(map[string]any{"challenge": "AAAA", "rpId": "login.example.org"}, held), authenticator.ErrNoCredential},
		"a foreign relying party":      {p.options(map[string]any{"challenge": "AAAA", "rpId": "example.com"}, held), authenticator.ErrSecurity},
		"user verification":            {p.options(map[string]any{"challenge": "AAAA", "rpId": rpID, "userVerification": "required"}, held), authenticator.ErrConstraint},
		"no challenge":                 {p.options(map[string]any{"rpId": rpID}, held), authenticator.ErrOptions},
		"not JSON":                     {"{", authenticator.ErrOptions},
	} {
		if text, err := a.Get(c.text); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v, want %v", name, text, err, c.want)
		}
	}
}

func TestCreate_ExcludeCredentials(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	made := p.register(a, nil)
	exclude := map[string]any{"excludeCredentials": allow(made.RawID)["allowCredentials"]}
	if text, err := a.Create(p.creation(exclude)); !errors.Is(err, authenticator.ErrExcluded) {
		t.Errorf("the same authenticator: %q, %v, want ErrExcluded", text, err)
	}
	other := authenticator.NewFIDO2(authenticator.Options{Origin: origin})
	if _, err := other.Create(p.creation(exclude)); err != nil {
		t.Errorf("another authenticator: %v", err)
	}
}

func TestRPID_DefaultsToHost(t *testing.T) {
	t.Parallel()
	p := newParty(t)
	a := authenticator.NewFIDO2(authenticator.Options{Origin: "http://localhost:8080", Discoverable: true})
	if _, err := a.Create(p.creation(map[string]any{"rp": map[string]any{"name": "Example"}})); err != nil {
		t.Fatalf("create: %v", err)
	}
	if _, err := a.Get(p.options(map[string]any{"challenge": p.challenge, "rpId": "localhost"}, nil)); err != nil {
		t.Errorf("get: %v", err)
	}
}
