package uaf

import (
	"bytes"
	"slices"
)

// Expectation describes the request that a response answers. The server finds the request
// by the challenge in [Response.Params] and spends it first; whether the challenge was
// issued for this operation, has expired or was used before is not checked here.
type Expectation struct {
	// AppID is the request's. Empty makes the facet ID the appID.
	AppID string
	// TrustedFacets are compared as strings.
	TrustedFacets []string
	// Challenge is the request's, decoded.
	Challenge []byte
	// ChannelBinding, if set, is the server's view of the channel.
	ChannelBinding *ChannelBinding
	// Policy is the request's.
	Policy   Policy
	Metadata *MetadataSet
}

// check compares a response's header and fcParams with the expectation (UAF protocol,
// registration response processing rules for a server, steps 1 and 2).
func (e *Expectation) check(r *Response) error {
	if err := checkExtensions("header", r.Header.Extensions); err != nil {
		return err
	}
	params := r.Params
	appID := e.AppID
	if appID == "" {
		appID = params.FacetID
	}
	switch {
	case params.AppID != appID:
		return unacceptable("fcParams: the appID is not ours")
	case r.Header.AppID != "" && r.Header.AppID != appID: // optional, and not what is signed
		return unacceptable("header: the appID is not ours")
	case !slices.Contains(e.TrustedFacets, params.FacetID):
		return unacceptable("fcParams: the facet is not trusted")
	case e.ChannelBinding != nil && !params.ChannelBinding.satisfies(*e.ChannelBinding):
		return refuse(StatusChannelBindingRefused, "fcParams: another channel")
	}
	challenge, err := params.ChallengeBytes()
	if err != nil {
		return err
	}
	if len(e.Challenge) == 0 || !bytes.Equal(challenge, e.Challenge) {
		return refuse(StatusRequestInvalid, "fcParams: the challenge is not the request's")
	}
	return nil
}

// model finds the statement of an assertion's authenticator and checks the assertion's
// scheme.
func (e *Expectation) model(aaid AAID, scheme string) (*Statement, error) {
	statement, ok := e.Metadata.Lookup(aaid)
	if !ok {
		return nil, refuse(StatusUnknownAAID, "no metadata for AAID %s", aaid)
	}
	if statement.AssertionScheme != scheme {
		return nil, unacceptable("assertionScheme is not that of the metadata")
	}
	return statement, nil
}

// checkModel makes the checks of metadata and request that both kinds of assertions need,
// in the order of the specification.
func (e *Expectation) checkModel(s *Statement, a AuthenticatorInfo, info AssertionInfo, hash []byte, fcParams string) error {
	switch {
	case !e.Policy.Allows(a):
		return refuse(StatusUnacceptableAuthenticator, "AAID %s: the policy does not allow the authenticator", s.AAID)
	case !bytes.Equal(hash, FinalChallengeHash(fcParams)):
		return unacceptable("the final challenge hash is not that of fcParams")
	case uint32(info.AuthenticatorVersion) < s.AuthenticatorVersion:
		return refuse(StatusUnacceptableAuthenticator, "AAID %s: authenticator version %d is below %d",
			s.AAID, info.AuthenticatorVersion, s.AuthenticatorVersion)
	case !slices.Contains(s.Algorithms, info.Algorithm):
		return refuse(StatusUnacceptableAlgorithm, "AAID %s: algorithm %d is not the metadata's", s.AAID, info.Algorithm)
	case info.Algorithm.keyType() == keyUnknown:
		return refuse(StatusUnacceptableAlgorithm, "algorithm %d is not supported", info.Algorithm)
	}
	return nil
}
