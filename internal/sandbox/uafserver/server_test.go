package uafserver_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"testing"
	"time"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

const (
	testAppID = "https://bank.example/uaf/facets"
	testFacet = "https://bank.example"
	testAAID  = uaf.AAID("ABCD#1234")
)

var encode = base64.RawURLEncoding.EncodeToString

const content = uaf.StatusUnacceptableContent

// server is a minimal relying party that uses the package: it issues requests, keeps the
// challenge, judges and stores.
type server struct {
	t          testing.TB
	metadata   *uafserver.Metadata
	appID      string
	facets     []string
	challenge  []byte
	serverData string
	keys       []uafserver.Registration
	policy     uaf.Policy
	now        time.Time
	shown      []uaf.Transaction
}

func newServer(t testing.TB, documents ...[]byte) *server {
	t.Helper()
	metadata, err := uafserver.ParseMetadata(documents...)
	if err != nil {
		t.Fatal(err)
	}
	return &server{
		t: t, metadata: metadata,
		appID: testAppID, facets: []string{testFacet}, now: softuaf.Epoch(),
	}
}

// pair returns an authenticator and a server that knows its metadata.
func pair(t testing.TB, options softuaf.Options, edit func(map[string]any)) (*softuaf.Authenticator, *server) {
	t.Helper()
	if options.AAID == "" {
		options.AAID = testAAID
	}
	if options.Algorithm == 0 {
		options.Algorithm = uaf.AlgorithmP256DER
	}
	if options.FacetID == "" {
		options.FacetID = testFacet
	}
	if options.Version == 0 {
		options.Version = 2
	}
	authenticator, err := softuaf.New(options)
	if err != nil {
		t.Fatal(err)
	}
	document, err := authenticator.Metadata(edit)
	if err != nil {
		t.Fatal(err)
	}
	return authenticator, newServer(t, document)
}

func (s *server) references() []uaf.KeyReference {
	var references []uaf.KeyReference
	for _, key := range s.keys {
		references = append(references, key.Key())
	}
	return references
}

func (s *server) header(operation uaf.Operation) (uaf.Header, string) {
	s.t.Helper()
	s.challenge, s.serverData = make([]byte, 32), rand.Text()
	_, _ = rand.Read(s.challenge)
	return uaf.NewHeader(operation, s.appID, s.serverData), encode(s.challenge)
}

func (s *server) registrationRequest() string {
	s.t.Helper()
	header, challenge := s.header(uaf.OperationRegistration)
	s.policy = uafserver.RegistrationPolicy(s.metadata, s.references())
	text, err := uaf.RegistrationRequest{Header: header, Challenge: challenge, Username: "alice", Policy: s.policy}.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *server) authenticationRequest(shown ...uaf.Transaction) string {
	s.t.Helper()
	header, challenge := s.header(uaf.OperationAuthentication)
	s.policy, s.shown = uaf.AuthenticationPolicy(s.references()), shown
	text, err := uaf.AuthenticationRequest{
		Header: header, Challenge: challenge, Transactions: shown, Policy: s.policy,
	}.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *server) expectation() uafserver.Expectation {
	return uafserver.Expectation{
		AppID: s.appID, TrustedFacets: s.facets, Challenge: s.challenge, ServerData: s.serverData,
		Policy: s.policy, Metadata: s.metadata,
	}
}

// find returns the user's record of a key.
func (s *server) find(wanted uaf.KeyReference) (uafserver.Registration, bool) {
	for _, key := range s.keys {
		if key.AAID.Equal(wanted.AAID) && bytes.Equal(key.KeyID, wanted.KeyID) {
			return key, true
		}
	}
	return uafserver.Registration{}, false
}

// register judges a response and stores its good assertions.
func (s *server) register(response string) ([]uafserver.Registration, error) {
	parsed, err := uaf.ParseRegistrationResponse(response)
	if err != nil {
		return nil, err
	}
	good, err := uafserver.VerifyRegistration(parsed, &uafserver.RegistrationContext{
		Expectation: s.expectation(), Now: s.now,
		Registered: func(key uaf.KeyReference) bool { _, found := s.find(key); return found },
	})
	s.keys = append(s.keys, good...)
	return good, err
}

// authenticate judges a response and stores the counters.
func (s *server) authenticate(response string) ([]uafserver.Registration, error) {
	parsed, err := uaf.ParseAuthenticationResponse(response)
	if err != nil {
		return nil, err
	}
	good, err := uafserver.VerifyAuthentication(parsed, &uafserver.AuthenticationContext{
		Expectation: s.expectation(), Find: s.find, Transactions: s.shown,
	})
	for _, one := range good {
		for i := range s.keys {
			if bytes.Equal(s.keys[i].KeyID, one.KeyID) {
				s.keys[i].SignCounter = one.SignCounter
			}
		}
	}
	return good, err
}

// registered returns a pair whose authenticator is already registered.
func registered(t testing.TB, options softuaf.Options) (*softuaf.Authenticator, *server) {
	t.Helper()
	authenticator, server := pair(t, options, nil)
	response, err := authenticator.Register(server.registrationRequest())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.register(response); err != nil {
		t.Fatal(err)
	}
	return authenticator, server
}

func wantStatus(t *testing.T, err error, want uaf.Status) {
	t.Helper()
	if got := uaf.StatusOf(err); got != want {
		t.Errorf("status %d, want %d (%v)", got, want, err)
	}
}
