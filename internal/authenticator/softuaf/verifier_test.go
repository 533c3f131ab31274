package softuaf_test

import (
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

// judge verifies a response like the sandbox, by the request and metadata.
type judge struct {
	t        *testing.T
	metadata *uafserver.Metadata
	keys     []uafserver.Registration
}

func newJudge(t *testing.T, metadata []byte) *judge {
	t.Helper()
	set, err := uafserver.ParseMetadata(metadata)
	if err != nil {
		t.Fatal(err)
	}
	return &judge{t: t, metadata: set}
}

func (j *judge) expectation(policy uaf.Policy) uafserver.Expectation {
	return uafserver.Expectation{
		AppID: appID, TrustedFacets: []string{facet}, Challenge: make([]byte, 16), Policy: policy, Metadata: j.metadata,
	}
}

func (j *judge) register(a *softuaf.Authenticator) {
	j.t.Helper()
	policy := uafserver.RegistrationPolicy(j.metadata, nil)
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
	j.keys, err = uafserver.VerifyRegistration(response, &uafserver.RegistrationContext{
		Expectation: j.expectation(policy), Now: softuaf.Epoch(), Registered: func(uaf.KeyReference) bool { return false },
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
	good, err := uafserver.VerifyAuthentication(response, &uafserver.AuthenticationContext{
		Expectation: j.expectation(policy), Find: func(uaf.KeyReference) (uafserver.Registration, bool) { return j.keys[0], true },
	})
	if err != nil {
		j.t.Fatal(err)
	}
	j.keys[0].SignCounter = good[0].SignCounter
}
