package softuaf_test

import (
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// judge verifies a response with package uaf, by the request and metadata.
type judge struct {
	t        *testing.T
	metadata *uaf.MetadataSet
	keys     []uaf.Registration
}

func newJudge(t *testing.T, metadata []byte) *judge {
	t.Helper()
	set, err := uaf.ParseMetadata(metadata)
	if err != nil {
		t.Fatal(err)
	}
	return &judge{t: t, metadata: set}
}

func (j *judge) expectation(policy uaf.Policy) uaf.Expectation {
	return uaf.Expectation{
		AppID: appID, TrustedFacets: []string{facet}, Challenge: make([]byte, 16), Policy: policy, Metadata: j.metadata,
	}
}

func (j *judge) register(a *softuaf.Authenticator) {
	j.t.Helper()
	policy := uaf.RegistrationPolicy(j.metadata, nil)
	request, err := uaf.RegistrationRequest{
		Header: uaf.NewHeader(uaf.OperationRegistration, appID, ""), Challenge: challenge, Username: "alice", Policy: policy,
	}.Encode()
	if err != nil {
		j.t.Fatal(err)
	}
	message, err := a.Register(request)
	if err != nil {
		j.t.Fatal(err)
	}
	response, err := uaf.ParseRegistrationResponse(message)
	if err != nil {
		j.t.Fatal(err)
	}
	j.keys, err = uaf.VerifyRegistrationResponse(response, &uaf.RegistrationContext{
		Expectation: j.expectation(policy), Now: softuaf.Epoch(),
	})
	if err != nil {
		j.t.Fatal(err)
	}
}

func (j *judge) authenticate(a *softuaf.Authenticator) {
	j.t.Helper()
	policy := uaf.AuthenticationPolicy([]uaf.KeyReference{j.keys[0].Key()})
	request, err := uaf.AuthenticationRequest{
		Header: uaf.NewHeader(uaf.OperationAuthentication, appID, ""), Challenge: challenge, Policy: policy,
	}.Encode()
	if err != nil {
		j.t.Fatal(err)
	}
	message, err := a.Authenticate(request)
	if err != nil {
		j.t.Fatal(err)
	}
	response, err := uaf.ParseAuthenticationResponse(message)
	if err != nil {
		j.t.Fatal(err)
	}
	good, err := uaf.VerifyAuthenticationResponse(response, &uaf.AuthenticationContext{
		Expectation: j.expectation(policy), Find: func(uaf.KeyReference) (uaf.Registration, bool) { return j.keys[0], true },
	})
	if err != nil {
		j.t.Fatal(err)
	}
	j.keys[0].SignCounter = good[0].SignCounter
}
