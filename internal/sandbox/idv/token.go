package idv

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// tokenLifetime limits how long a token can open a session.
const tokenLifetime = time.Hour

// token opens the page of a transaction in one of its roles.
type token struct {
	role, value string
	version     int
	until       time.Time
	session     string // the id of its session; "" before there is one
}

func newToken(role string, now time.Time) token {
	return token{role: role, value: uuid.NewString(), until: now.Add(tokenLifetime)}
}

// tokenView is a token in the platform's answer.
type tokenView struct {
	Token     string `json:"token"`
	Role      string `json:"role"`
	Version   int    `json:"version"`
	AccessURL string `json:"accessUrl"`
}

// page returns the path of the person's page. The vendor's pages are at
// /<brand>/#/esign/<transaction>; this one works without scripts.
func (t *transaction) page(one token) string {
	return "/esign/" + t.id + "?access_token=" + one.value
}

// tokenViews returns the newest tokens of all roles.
func (t *transaction) tokenViews(site string) []tokenView {
	list := []tokenView{}
	for i, one := range t.tokens {
		if slices.ContainsFunc(t.tokens[i+1:], func(newer token) bool { return newer.role == one.role }) {
			continue
		}
		list = append(list, tokenView{Token: one.value, Role: one.role, Version: one.version, AccessURL: site + t.page(one)})
	}
	return list
}

// createToken makes a new token for a role of the transaction. The answer has no
// accessUrl (docs/platform.md V2).
func (s *Server) createToken(r *http.Request, in tokenInput) (any, error) {
	t, err := s.store.change(r.PathValue("transaction"), func(t *transaction, now time.Time) error {
		if err := t.wantActive(); err != nil {
			return err
		}
		made := newToken(in.Role, now)
		for _, one := range t.tokens {
			if one.role == in.Role {
				made.version = one.version + 1
			}
		}
		if made.version == 0 {
			return wire.Invalid(wire.Violation{Field: "role", Message: "is not a role of this transaction"})
		}
		t.tokens = append(slices.Clip(t.tokens), made)
		return nil
	})
	if err != nil {
		return nil, err
	}
	made := t.tokens[len(t.tokens)-1]
	return struct {
		Token string `json:"token"`
		Role  string `json:"role"`
	}{made.value, made.role}, nil
}
