package uafserver_test

import (
	"bytes"
	"fmt"
	"time"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

// A server asks for a registration, an authenticator answers, and the server verifies the key.
func Example() {
	const appID, facet = "https://login.example.org/uaf/facets", "https://login.example.org"
	phone, err := softuaf.New(softuaf.Options{AAID: softuaf.DemoAAID, Algorithm: uaf.AlgorithmP256Raw, FacetID: facet})
	if err != nil {
		fmt.Println(err)
		return
	}
	statement, err := phone.Metadata(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	metadata, err := uafserver.ParseMetadata(statement)
	if err != nil {
		fmt.Println(err)
		return
	}

	challenge, policy := bytes.Repeat([]byte{7}, 32), uafserver.RegistrationPolicy(metadata, nil)
	request, err := uaf.RegistrationRequest{
		Header: uaf.NewHeader(uaf.OperationRegistration, appID, ""), Challenge: encode(challenge), Username: "alice", Policy: policy,
	}.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := phone.Register(request)
	if err != nil {
		fmt.Println(err)
		return
	}

	response, err := uaf.ParseRegistrationResponse(answer)
	if err != nil {
		fmt.Println(err)
		return
	}
	made, err := uafserver.VerifyRegistration(response, &uafserver.RegistrationContext{
		Expectation: uafserver.Expectation{
			AppID: appID, TrustedFacets: []string{facet}, Challenge: challenge, Policy: policy, Metadata: metadata,
		},
		Now:        time.Date(2026, time.May, 6, 0, 0, 0, 0, time.UTC),
		Registered: func(uaf.KeyReference) bool { return false },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(made[0].AAID, made[0].RegistrationCounter)
	// Output: 5B0C#0001 1
}
