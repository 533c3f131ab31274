package uaf

// KeyReference names one key of one authenticator.
type KeyReference struct {
	AAID  AAID
	KeyID []byte
}

// RegistrationPolicy accepts any model of the metadata that supports version 1.1, and
// disallows the user's existing keys.
func RegistrationPolicy(metadata *MetadataSet, registered []KeyReference) Policy {
	var policy Policy
	for _, statement := range metadata.Statements() {
		if statement.supports(ProtocolVersion()) {
			policy.Accepted = append(policy.Accepted, []MatchCriteria{{AAIDs: []AAID{statement.AAID}}})
		}
	}
	for _, key := range registered {
		policy.Disallowed = append(policy.Disallowed, key.criteria())
	}
	return policy
}

// AuthenticationPolicy accepts any one of the keys.
func AuthenticationPolicy(keys []KeyReference) Policy {
	var policy Policy
	for _, key := range keys {
		policy.Accepted = append(policy.Accepted, []MatchCriteria{key.criteria()})
	}
	return policy
}

func (k KeyReference) criteria() MatchCriteria {
	return MatchCriteria{AAIDs: []AAID{k.AAID}, KeyIDs: []string{encodeBase64URL(k.KeyID)}}
}
