package identity

import (
	"testing"
	"time"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

const alice = "alice@sandbox"

// registeredUAF returns a platform on which alice has registered the authenticator.
func registeredUAF(t *testing.T) (*Server, *softuaf.Authenticator) {
	t.Helper()
	s, err := New(Options{
		People: people.New(people.Demo()),
		RPID:   "localhost", RPOrigins: []string{"http://localhost"}, Now: func() time.Time { return start },
		UAFAppID: "https://bank.example/facets", UAFFacets: []string{"https://bank.example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	authenticator, err := softuaf.New(softuaf.Options{
		AAID: DemoAAID, Algorithm: uaf.AlgorithmP256DER, Version: 1, FacetID: "https://bank.example",
	})
	if err != nil {
		t.Fatal(err)
	}
	request, err := s.engines[uaf11].generateRegistration(account{Person: people.Person{ID: alice}}, registrationRequestInput{})
	if err != nil {
		t.Fatal(err)
	}
	response, err := authenticator.Register(request.message)
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.engines[uaf11].verifyRegistration(account{Person: people.Person{ID: alice}}, registrationInput{RegistrationResponse: &response})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.accounts.register(alice, start, made); err != nil {
		t.Fatal(err)
	}
	return s, authenticator
}

// verifiedUAF returns a verified sign-in that is not committed.
func verifiedUAF(t *testing.T, s *Server, authenticator *softuaf.Authenticator) []assertion {
	t.Helper()
	p, err := s.accounts.find(alice)
	if err != nil {
		t.Fatal(err)
	}
	request, err := s.engines[uaf11].generateAuthentication(p, authenticationRequestInput{})
	if err != nil {
		t.Fatal(err)
	}
	response, err := authenticator.Authenticate(request.message)
	if err != nil {
		t.Fatal(err)
	}
	assertions, err := s.engines[uaf11].verifyAuthentication(p, assertionInput{response: response})
	if err != nil {
		t.Fatal(err)
	}
	return assertions
}

func wantUAF(t *testing.T, err error, status uaf.Status) {
	t.Helper()
	if err == nil || wire.AsError(err).Members[uafStatusCode] != int(status) {
		t.Errorf("%v, want UAF status %d", err, status)
	}
}

// Of two sign-ins with one counter, both verified before either is committed, one fails.
func TestUAFCounter_CheckedAtCommit(t *testing.T) {
	s, authenticator := registeredUAF(t)
	first := verifiedUAF(t, s, authenticator)
	authenticator.Keys[0].Counter--
	second := verifiedUAF(t, s, authenticator)
	if err := s.accounts.use(alice, start, first); err != nil {
		t.Fatal(err)
	}
	wantUAF(t, s.engines[uaf11].stale(s.accounts.use(alice, start, second)), uaf.StatusUnacceptableContent)
}

// A key that is deregistered after verifying the sign-in fails at the commit.
func TestUAFKey_DeregisteredBeforeCommit(t *testing.T) {
	s, authenticator := registeredUAF(t)
	assertions := verifiedUAF(t, s, authenticator)
	p, _ := s.accounts.find(alice)
	if err := s.accounts.remove(p.registrations[0].id); err != nil {
		t.Fatal(err)
	}
	wantUAF(t, s.engines[uaf11].stale(s.accounts.use(alice, start, assertions)), uaf.StatusUnknownKeyID)
}

// An answer to a request of another platform, as after a restart, is refused.
func TestUAFRequest_OtherPlatformRefused(t *testing.T) {
	s, authenticator := registeredUAF(t)
	other, _ := registeredUAF(t)
	p, _ := s.accounts.find(alice)
	request, err := s.engines[uaf11].generateAuthentication(p, authenticationRequestInput{})
	if err != nil {
		t.Fatal(err)
	}
	response, err := authenticator.Authenticate(request.message)
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.engines[uaf11].verifyAuthentication(p, assertionInput{response: response})
	wantUAF(t, err, uaf.StatusRequestInvalid)
}

func TestUAFName_FromMetadata(t *testing.T) {
	s, _ := registeredUAF(t)
	engine, ok := s.engines[uaf11].(*uafEngine)
	if !ok {
		t.Fatal("another engine")
	}
	for aaid, want := range map[uaf.AAID]string{DemoAAID: "Countersign demo authenticator", "5b0c#0001": "Countersign demo authenticator", "0000#0000": "UAF authenticator"} {
		if got := engine.nameOf(aaid); got != want {
			t.Errorf("%s: %q, want %q", aaid, got, want)
		}
	}
}
