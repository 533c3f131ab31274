package uaf

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Policy selects authenticators (UAF protocol, section on the Policy dictionary).
// Accepted holds alternatives, each of them a list of criteria that must all be met, by
// one authenticator each; an authenticator that meets one of Disallowed is excluded.
type Policy struct {
	Accepted   [][]MatchCriteria `json:"accepted"`
	Disallowed []MatchCriteria   `json:"disallowed,omitempty"`
}

type policyWire struct {
	Accepted   *[][]MatchCriteria  `json:"accepted"`
	Disallowed list[MatchCriteria] `json:"disallowed"`
}

// UnmarshalJSONFrom reads the dictionary; accepted is required.
func (p *Policy) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[policyWire](dec)
	if err != nil {
		return err
	}
	p.Disallowed = wire.Disallowed
	return need(&p.Accepted, wire.Accepted, "accepted")
}

// check checks a policy, be it built or parsed.
func (p *Policy) check() error {
	if len(p.Accepted) == 0 {
		return unacceptable("a policy that accepts nothing")
	}
	criteria := slices.Clone(p.Disallowed)
	for _, alternative := range p.Accepted {
		if len(alternative) == 0 {
			return unacceptable("a policy with an empty alternative")
		}
		criteria = append(criteria, alternative...)
	}
	for _, c := range criteria {
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

// Allows reports whether an authenticator can help to satisfy the policy: it meets a
// criterion of some alternative and no disallowed one.
func (p Policy) Allows(authenticator AuthenticatorInfo) bool {
	meets := func(c MatchCriteria) bool { return c.Matches(authenticator) }
	return !slices.ContainsFunc(p.Disallowed, meets) &&
		slices.ContainsFunc(p.Accepted, func(alternative []MatchCriteria) bool {
			return slices.ContainsFunc(alternative, meets)
		})
}

// KeyReference names one key of one authenticator.
type KeyReference struct {
	AAID  AAID
	KeyID []byte
}

// AuthenticationPolicy accepts any one of the keys.
func AuthenticationPolicy(keys []KeyReference) Policy {
	var policy Policy
	for _, key := range keys {
		policy.Accepted = append(policy.Accepted, []MatchCriteria{key.Criteria()})
	}
	return policy
}

// Criteria selects the key alone.
func (k KeyReference) Criteria() MatchCriteria {
	return MatchCriteria{AAIDs: []AAID{k.AAID}, KeyIDs: []string{encodeBase64URL(k.KeyID)}}
}
