package conformance

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
)

func person(t *T, c contract) {
	user, err := c.client.User(t.Context(), c.User)
	if err != nil {
		t.Fatal(err)
	}
	if got := user.UserID + "@" + user.Domain; got != c.User {
		t.Errorf("asked for %s, got %s", c.User, got)
	}
	if state := user.State(); state != platform.Active {
		t.Errorf("%s is %s", c.User, state)
	}
}

func unknownPerson(t *T, c contract) {
	ctx := t.Context()
	wantKey(t, "user", failure(c.client.User(ctx, c.Unknown)), fault.AccountUnknown)
	wantKey(t, "authenticators", failure(c.client.Authenticators(ctx, c.Unknown)), fault.AccountUnknown)
	wantKey(t, "generate-fido-registration-request", failure(c.client.GenerateFIDORegistrationRequest(ctx, c.Unknown, platform.RegistrationRequestInput{FIDOProtocol: platform.FIDO2})), fault.AccountUnknown)
	wantExact(t, "generate-fido-authentication-request", failure(c.client.GenerateFIDOAuthenticationRequest(ctx, c.Unknown, byPasskey)), fault.AccountUnknown)
	wantKey(t, "login", failure(c.client.Login(ctx, c.Unknown, byPassword(c.Password))), fault.SignInRefused)
	_, err := c.client.RemoveAuthenticator(ctx, platform.Unlisted(c.Unknown, unknownID))
	// A platform may name either missing object.
	if missing := fault.From(err).MostSpecific().Key; missing != fault.AccountUnknown && missing != fault.AuthenticatorUnknown {
		t.Errorf("remove an authenticator: %v", err)
	}
}

func password(t *T, c contract) {
	out, err := c.client.Login(t.Context(), c.User, platform.LoginInput{
		Credentials: &platform.Credentials{PassKey: c.Password}, ClientIP: "192.0.2.1",
	})
	if err != nil || out.SessionStatus != platform.StatusAccepted {
		t.Errorf("%q, %v", out.SessionStatus, err)
	}
}

func wrongPassword(t *T, c contract) {
	wantKey(t, "a longer password", failure(c.client.Login(t.Context(), c.User, byPassword(c.Password+"x"))), fault.SignInRefused)
	// A right password resets a counter of wrong ones.
	password(t, c)
}

func noCredentials(t *T, c contract) {
	for what, in := range map[string]platform.LoginInput{
		"nothing": {}, "no credential": {Credentials: &platform.Credentials{}}, "a push without a word for it": {OrchestrationDelivery: []string{"pushNotification"}},
	} {
		_, err := c.client.Login(t.Context(), c.User, in)
		wantKey(t, what, err, fault.SignInRefused)
		wantStatus(t, what, err, http.StatusBadRequest)
	}
}

func shutOut(t *T, c contract) {
	for _, user := range []string{c.Disabled, c.Locked, c.Expired} {
		if user == "" {
			continue
		}
		wantKey(t, user, failure(c.client.Login(t.Context(), user, byPassword(c.Password))), fault.SignInRefused)
	}
	for user, want := range map[string]string{c.Disabled: platform.Disabled, c.Locked: platform.Locked, c.Expired: platform.Active} {
		if user == "" {
			continue
		}
		if said, err := c.client.User(t.Context(), user); err != nil || said.State() != want {
			t.Errorf("getUser: %s is %s, want %s: %v", user, said.State(), want, err)
		}
	}
}

func unknownStatus(t *T, c contract) {
	wantKey(t, "session status", failure(c.client.SessionStatus(t.Context(), "00000000-0000-4000-8000-000000000000")), fault.SignInUnknown)
}

// push starts a sign-in that waits for a device.
func (c contract) push(t *T) string {
	out, err := c.client.Login(t.Context(), c.User, platform.LoginInput{
		Credentials: &platform.Credentials{PassKey: platform.PushNoPIN}, OrchestrationDelivery: []string{"pushNotification"},
	})
	if err != nil || out.SessionStatus != platform.StatusPending {
		t.Fatalf("a push is %q, %v", out.SessionStatus, err)
	}
	return out.RequestID
}

func (c contract) wantStatus(t *T, requestID string, want platform.SessionStatus) {
	if got, err := c.client.SessionStatus(t.Context(), requestID); err != nil || got != want {
		t.Errorf("status %q, %v, want %s", got, err, want)
	}
}

func pushPending(t *T, c contract) {
	requestID := c.push(t)
	// A second poll changes nothing.
	c.wantStatus(t, requestID, platform.StatusPending)
	c.wantStatus(t, requestID, platform.StatusPending)
}

func pushAnswered(t *T, c contract) {
	accepted, refused := c.push(t), c.push(t)
	c.decide(t, accepted, true)
	c.wantStatus(t, accepted, platform.StatusAccepted)
	c.wantStatus(t, refused, platform.StatusPending)
	c.decide(t, refused, false)
	c.wantStatus(t, refused, platform.StatusRefused)
	c.wantStatus(t, accepted, platform.StatusAccepted)
}

// pushTransaction starts a transaction that waits for the person's device.
func (c contract) pushTransaction(t *T) string {
	out, err := c.client.ValidateTransaction(t.Context(), c.User, platform.TransactionInput{
		OrchestrationDelivery: []string{"pushNotification"},
		Data: platform.TransactionData{
			TransactionMessage: jsontext.Value(`{"authentMethod":"NoPIN","dataFields":[{"key":{"text":"Amount"},"value":{"text":"100 EUR"}}]}`),
		},
	})
	if err != nil || out.SessionStatus != platform.StatusPending {
		t.Fatalf("a pushed transaction is %q, %v", out.SessionStatus, err)
	}
	return out.RequestID
}

func transactionAnswered(t *T, c contract) {
	accepted, refused := c.pushTransaction(t), c.pushTransaction(t)
	c.wantStatus(t, accepted, platform.StatusPending)
	c.decide(t, accepted, true)
	c.decide(t, refused, false)
	c.wantStatus(t, accepted, platform.StatusAccepted)
	c.wantStatus(t, refused, platform.StatusRefused)
}

// decide answers as the person's device.
func (c contract) decide(t *T, requestID string, accept bool) {
	if err := c.Decide(t.Context(), requestID, accept); err != nil {
		t.Fatalf("the device: %v", err)
	}
}
