package conformance

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/uaf"
	"countersign/internal/upstream"
)

// identityFacts returns the cases for assumptions about the identity API that the
// specification does not settle.
func identityFacts(env Env) []testCase[contract] {
	return []testCase[contract]{
		{name: "every call has its path", fact: "I3, I14", run: identityPaths},
		{name: "refusals have their statuses and words", fact: "I2, I11, I12", run: refusalWords},
		{name: "the case of a user name", fact: "I8", run: userCase},
		{name: "an account has an e-mail address", fact: "I10", run: emailAddress},
		{name: "the relying party is the public origin's", fact: "I1", run: relyingParty},
		{name: "errors match the release", fact: "I13", run: release},
		{name: "a wrong password is not told that it has expired", fact: "I12", run: expiredPassword, leftOut: lacking(env.Expired == "", "no account with an expired password is named")},
		{name: "the UAF models that are accepted", fact: "U2", run: uafModels, leftOut: lacking(env.Facet == "", "no facet is named")},
	}
}

// wording is the expected refusal of one call: its status, and its message if there is
// one.
type wording struct {
	what    string
	err     error
	status  int
	message string
}

// refusalWords provokes refusals. The catalogue of faults translates their words.
func refusalWords(t *T, c contract) {
	signIn := func(user, password string) error {
		return failure(c.client.Login(t.Context(), user, byPassword(password)))
	}
	unknown := failure(c.client.User(t.Context(), c.Unknown))
	status := failure(c.client.SessionStatus(t.Context(), unknownID))
	noAuthenticator := failure(c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, byPasskey))
	invalid := failure(c.client.GenerateFIDORegistrationRequest(t.Context(), c.User, platform.RegistrationRequestInput{}))
	all := []wording{
		{"a wrong password", signIn(c.User, c.Password+"x"), http.StatusConflict, "Authentication failed"},
		{"a login of an unknown user", signIn(c.Unknown, c.Password), http.StatusNotFound, "User account not found"},
		{"the account of an unknown user", unknown, http.StatusNotFound, "User account not found"},
		{"the status of no sign-in", status, http.StatusNotFound, "Request ID is invalid"},
		{"an authentication without authenticators", noAuthenticator, http.StatusBadRequest, "No authenticators available"},
		{"a payload without a protocol", invalid, http.StatusBadRequest, ""},
	}
	for _, one := range []struct{ what, user, message string }{
		{"a disabled account", c.Disabled, "User is disabled"},
		{"a locked account", c.Locked, "User is locked"},
		{"an expired password", c.Expired, "Static password has expired"},
	} {
		if one.user != "" {
			all = append(all, wording{one.what, signIn(one.user, c.Password), http.StatusConflict, one.message})
		}
	}
	for _, one := range all {
		one.check(t)
	}
	// A right password resets a counter of wrong ones.
	if err := signIn(c.User, c.Password); err != nil {
		t.Errorf("a right password: %v", err)
	}
}

func (w wording) check(t *T) {
	said, ok := errors.AsType[*upstream.Error](w.err)
	switch {
	case !ok:
		t.Errorf("%s: %v, want it refused with %d", w.what, w.err, w.status)
	case said.Status != w.status || w.message != "" && strings.TrimSuffix(said.Message, ".") != w.message:
		t.Errorf("%s: %v, want %d %s", w.what, said, w.status, w.message)
	case said.Code == "" || said.Message == "":
		t.Errorf("%s: %v, which lacks the members error and message", w.what, said)
	case said.CorrelationID == "":
		t.Errorf("%s: %s is answered without log-correlation-id, which finds it in the platform's log", w.what, said.Operation)
	}
}

// userCase uses the account's name in another spelling.
func userCase(t *T, c contract) {
	other := strings.ToUpper(c.User)
	if other == c.User {
		other = strings.ToLower(c.User)
	}
	if _, err := c.client.User(t.Context(), c.User); err != nil {
		t.Fatalf("%s: %v", c.User, err)
	}
	_, err := c.client.User(t.Context(), other)
	switch {
	case err == nil:
		t.Needs("USER_CASE", "fold", other+" is "+c.User)
	case fault.Is(err, fault.AccountUnknown):
		t.Errorf("%s is not %s: %v", other, c.User, err)
		t.Needs("USER_CASE", "keep", other+" is not "+c.User)
	default:
		t.Errorf("%s: %v", other, err)
	}
	if _, domain, found := strings.Cut(c.User, "@"); found {
		t.Needs("DEFAULT_DOMAIN", domain, "the domain of "+c.User)
	}
}

func emailAddress(t *T, c contract) {
	user, err := c.client.User(t.Context(), c.User)
	if err != nil {
		t.Fatal(err)
	}
	if user.EmailAddress == "" {
		t.Errorf("getUser tells none of %s: a user without one at the platform owns only the packages that they made here", c.User)
	}
}

// relyingParty compares the platform's relying party with the people's origin.
func relyingParty(t *T, c contract) {
	request := c.begin(t, c.User, platform.RegistrationRequestInput{})
	options := creationOptionsOf(t, request)
	origin, err := url.Parse(c.Origin)
	if err != nil {
		t.Fatal(err)
	}
	if options.RP.ID != origin.Hostname() {
		t.Errorf("generateFidoRegistrationRequest: the relying party is %q, and people use %s", options.RP.ID, c.Origin)
		t.Needs("PUBLIC_ORIGIN", "https://"+options.RP.ID, "the relying party of the platform")
	}
}

// activation is a command in the sandbox's format, for a password that was never issued.
// A real orchestration service cannot parse it.
const activation = `{"command":"activate","userID":"nobody@conformance","activationPassword":"0000000000","deviceType":"android"}`

// release finds out whether errors have texts or the numbers of earlier releases.
func release(t *T, c contract) {
	_, err := c.client.OrchestrationCommands(t.Context(), platform.OrchestrationCommand{Command: hexOf(activation)})
	said, ok := errors.AsType[*upstream.Error](err)
	if !ok {
		t.Fatalf("a command of no device: %v, want it refused", err)
	}
	switch {
	case strings.Contains(string(said.Body), "-8000"), strings.Contains(string(said.Body), "-8006"):
		t.Errorf("%v: a number instead of words", said)
		t.Needs("PLATFORM_RELEASE", "22.R3", "orchestrationCommands answers with numbers")
	case said.Message == "Unable to find registration code in Shared Cache":
		t.Needs("PLATFORM_RELEASE", "22.R4", "orchestrationCommands answers in words")
	case said.Message != "Failed to parse command":
		t.Errorf("a command of no device: %v", said)
	}
}

// expiredPassword tries whether an unknown client learns that a password has expired.
func expiredPassword(t *T, c contract) {
	_, err := c.client.Login(t.Context(), c.Expired, byPassword(c.Password+"x"))
	if err == nil || fault.From(err).MostSpecific().Key == fault.AccountPasswordExpired {
		t.Errorf("login of %s with a wrong password: %v: Countersign tells unknown clients no reason, whatever the platform says", c.Expired, err)
	}
}

// uafModels checks the models of the policy.
func uafModels(t *T, c contract) {
	read, err := uaf.ParseRegistrationRequest(c.beginUAF(t, c.User))
	if err != nil {
		t.Fatalf("registrationRequest is not a UAF message: %v", err)
	}
	var models []string
	for _, alternative := range read.Policy.Accepted {
		for _, criteria := range alternative {
			for _, aaid := range criteria.AAIDs {
				models = append(models, strings.ToUpper(string(aaid)))
			}
		}
	}
	slices.Sort(models)
	if models = slices.Compact(models); len(models) > 0 {
		t.Needs("UAF_MODELS", strings.Join(models, ","), "the policy of generateFidoRegistrationRequest")
	}
}
