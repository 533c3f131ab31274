package uafserver

import (
	"bytes"
	"slices"

	"countersign/internal/uaf"
)

// Expectation describes the request that a response answers. The server finds the request
// by the challenge in [uaf.Response.Params] and spends it first; whether the challenge was
// issued for this operation, has expired or was used before is not checked here.
type Expectation struct {
	// AppID is the request's.
	AppID string
	// TrustedFacets are compared as strings.
	TrustedFacets []string
	// Challenge is the request's, decoded.
	Challenge []byte
	// ServerData is the request's.
	ServerData string
	// Policy is the request's. Each of its alternatives asks for one authenticator.
	Policy   uaf.Policy
	Metadata *Metadata
}

// verifyAll compares a response with the expectation, and judges each assertion by itself.
// It returns the good ones, one for each key; if none is good, the first refusal.
func verifyAll[T interface{ Key() uaf.KeyReference }](e *Expectation, r *uaf.Response, verify func(uaf.Assertion) (T, error)) ([]T, error) {
	if err := e.check(r); err != nil {
		return nil, err
	}
	var good []T
	var refusal error
	for _, a := range r.Assertions {
		one, err := verify(a)
		switch {
		case err != nil && refusal == nil:
			refusal = err
		case err == nil && !slices.ContainsFunc(good, func(other T) bool { return sameKey(one.Key(), other.Key()) }):
			good = append(good, one)
		}
	}
	if len(good) == 0 {
		return nil, refusal
	}
	return good, nil
}

func sameKey(a, b uaf.KeyReference) bool {
	return a.AAID.Equal(b.AAID) && bytes.Equal(a.KeyID, b.KeyID)
}

// check compares a response's header and fcParams with the expectation (UAF protocol,
// registration response processing rules for a server, steps 1 and 2).
func (e *Expectation) check(r *uaf.Response) error {
	if err := uaf.CheckExtensions("header", r.Header.Extensions); err != nil {
		return err
	}
	params := r.Params
	switch {
	case r.Header.ServerData != e.ServerData:
		return refuse(uaf.StatusRequestInvalid, "header: serverData is not the request's")
	case params.AppID != e.AppID:
		return unacceptable("fcParams: the appID is not ours")
	case r.Header.AppID != "" && r.Header.AppID != e.AppID: // optional, and not what is signed
		return unacceptable("header: the appID is not ours")
	case !slices.Contains(e.TrustedFacets, params.FacetID):
		return unacceptable("fcParams: the facet is not trusted")
	}
	challenge, err := params.ChallengeBytes()
	if err != nil {
		return err
	}
	if len(e.Challenge) == 0 || !bytes.Equal(challenge, e.Challenge) {
		return refuse(uaf.StatusRequestInvalid, "fcParams: the challenge is not the request's")
	}
	return nil
}

// model finds the statement of an assertion's authenticator and checks the assertion's
// scheme.
func (e *Expectation) model(aaid uaf.AAID, scheme string) (*Statement, error) {
	statement, ok := e.Metadata.Lookup(aaid)
	if !ok {
		return nil, refuse(uaf.StatusUnknownAAID, "no metadata for AAID %s", aaid)
	}
	if statement.AssertionScheme != scheme {
		return nil, unacceptable("assertionScheme is not that of the metadata")
	}
	return statement, nil
}

// checkModel makes the checks of metadata and request that both kinds of assertions need,
// in the order of the specification. hash is the assertion's final challenge hash.
func (e *Expectation) checkModel(s *Statement, info uaf.AssertionInfo, keyID, hash []byte, fcParams string) error {
	version := uint32(info.AuthenticatorVersion)
	switch {
	case !e.Policy.Allows(uaf.AuthenticatorInfo{AAID: s.AAID, Version: version, KeyIDs: [][]byte{keyID}}):
		return refuse(uaf.StatusUnacceptableAuthenticator, "AAID %s: the policy does not allow the authenticator", s.AAID)
	case !bytes.Equal(hash, uaf.FinalChallengeHash(fcParams)):
		return unacceptable("the final challenge hash is not that of fcParams")
	case version < s.MinVersion:
		return refuse(uaf.StatusUnacceptableAuthenticator, "AAID %s: authenticator version %d is below %d", s.AAID, version, s.MinVersion)
	case !slices.Contains(s.Algorithms, info.Algorithm):
		return refuse(uaf.StatusUnacceptableAlgorithm, "AAID %s: algorithm %d is not the metadata's", s.AAID, info.Algorithm)
	case keyTypeOf(info.Algorithm) == keyUnknown:
		return refuse(uaf.StatusUnacceptableAlgorithm, "algorithm %d is not supported", info.Algorithm)
	}
	return nil
}
