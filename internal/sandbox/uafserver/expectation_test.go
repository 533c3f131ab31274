package uafserver_test

import (
	"bytes"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

// The client's statements are compared with the server's knowledge.
func TestFinalChallengeParams_MatchRequest(t *testing.T) {
	cases := []struct {
		name   string
		tamper func(*uaf.FinalChallengeParams)
		server func(*server)
		want   uaf.Status
	}{
		{"nothing changed", nil, nil, uaf.StatusOK},
		{"another appID", func(p *uaf.FinalChallengeParams) { p.AppID = "https://evil.example/facets" }, nil, content},
		{"the facet as appID", func(p *uaf.FinalChallengeParams) { p.AppID = p.FacetID }, nil, content},
		{"the appID with a slash", func(p *uaf.FinalChallengeParams) { p.AppID += "/" }, nil, content},
		{"another facet", func(p *uaf.FinalChallengeParams) { p.FacetID = "https://evil.example" }, nil, content},
		{"the facet with a path", func(p *uaf.FinalChallengeParams) { p.FacetID += "/" }, nil, content},
		{"the facet in upper case", func(p *uaf.FinalChallengeParams) { p.FacetID = strings.ToUpper(p.FacetID) }, nil, content},
		{"a facet trusted too", func(p *uaf.FinalChallengeParams) { p.FacetID = "ios:bundle-id:com.example" },
			func(s *server) { s.facets = append(s.facets, "ios:bundle-id:com.example") }, uaf.StatusOK},
		{"no facet trusted", nil, func(s *server) { s.facets = nil }, content},
		{"a challenge of another length", func(p *uaf.FinalChallengeParams) { p.Challenge = "AAAAAAAAAAA" },
			nil, uaf.StatusRequestInvalid},
		{"another challenge", func(p *uaf.FinalChallengeParams) { p.Challenge = strings.Repeat("A", 43) },
			nil, uaf.StatusRequestInvalid},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := pair(t, softuaf.Options{Tamper: softuaf.Tamper{Params: c.tamper}}, nil)
			response, err := authenticator.Register(server.registrationRequest())
			if err != nil {
				t.Fatal(err)
			}
			if c.server != nil {
				c.server(server)
			}
			_, err = server.register(response)
			wantStatus(t, err, c.want)
		})
	}
}

// A response to another request, by its challenge or by its serverData, is refused.
func TestChallenge_OtherThanExpected(t *testing.T) {
	authenticator, server := pair(t, softuaf.Options{}, nil)
	response, err := authenticator.Register(server.registrationRequest())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := uaf.ParseRegistrationResponse(response)
	if err != nil {
		t.Fatal(err)
	}
	for _, challenge := range [][]byte{nil, bytes.Repeat([]byte{1}, 32), server.challenge[:31]} {
		expectation := server.expectation()
		expectation.Challenge = challenge
		_, err = uafserver.VerifyRegistration(parsed, &uafserver.RegistrationContext{Expectation: expectation, Now: server.now})
		wantStatus(t, err, uaf.StatusRequestInvalid)
	}
	expectation := server.expectation()
	expectation.ServerData = "another"
	_, err = uafserver.VerifyRegistration(parsed, &uafserver.RegistrationContext{Expectation: expectation, Now: server.now})
	wantStatus(t, err, uaf.StatusRequestInvalid)
}
