package decoy

import (
	"encoding/base64"
	"errors"
	"slices"

	"countersign/internal/uaf"
)

// maxModels limits the models of a record, to more than a platform is likely to trust.
const maxModels = 64

// keyIDLength is the length in bytes of key ids for models from the settings.
const keyIDLength = 32

// errPolicy is the error of a policy that names keys in another way than servers that
// know the user (UAF protocol, authentication request generation rules): AAID and key id.
var errPolicy = errors.New("UAF policy: keys without their models, or several criteria at once")

// model is a model of UAF authenticators.
type model struct {
	AAID uaf.AAID `json:"aaid"`
	// KeyID is the length of its key ids in bytes.
	KeyID uint16 `json:"keyID"`
}

// policy accepts one of keys, or an authenticator that meets one of the others, which
// name no keys and are the same for everybody.
type policy struct {
	keys   []uaf.KeyReference
	others [][]uaf.MatchCriteria
}

// readPolicy splits a policy that package uaf has decoded and checked.
func readPolicy(read uaf.Policy) (p policy, err error) {
	for _, alternative := range read.Accepted {
		switch {
		case !slices.ContainsFunc(alternative, func(c uaf.MatchCriteria) bool { return len(c.KeyIDs) > 0 }):
			p.others = append(p.others, withoutExtensions(alternative))
		case len(alternative) > 1 || len(alternative[0].AAIDs) == 0:
			return p, unreadable(errPolicy)
		default:
			p.keys = append(p.keys, keysIn(alternative[0])...)
		}
	}
	if len(p.keys)+len(p.others) == 0 {
		return p, ErrNoCredentials
	}
	return p, nil
}

func withoutExtensions(alternative []uaf.MatchCriteria) []uaf.MatchCriteria {
	alternative = slices.Clone(alternative)
	for i := range alternative {
		alternative[i].Extensions = nil
	}
	return alternative
}

func keysIn(c uaf.MatchCriteria) (keys []uaf.KeyReference) {
	for _, text := range c.KeyIDs {
		id, _ := base64.RawURLEncoding.DecodeString(text)
		for _, aaid := range c.AAIDs {
			keys = append(keys, uaf.KeyReference{AAID: aaid, KeyID: id})
		}
	}
	return keys
}

// encode returns a policy with each key as a separate alternative.
func (p policy) encode() uaf.Policy {
	out := uaf.AuthenticationPolicy(p.keys)
	out.Accepted = append(out.Accepted, p.others...)
	return out
}

// withModels returns models followed by the new models of keys, in the order in which
// they were seen.
func withModels(models []model, keys []uaf.KeyReference) []model {
	models = slices.Clone(models)
	for _, k := range keys {
		known := slices.ContainsFunc(models, func(m model) bool { return m.AAID.Equal(k.AAID) })
		if !known && len(models) < maxModels {
			models = append(models, model{AAID: k.AAID, KeyID: uint16(len(k.KeyID))})
		}
	}
	return models
}
