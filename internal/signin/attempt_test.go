package signin_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/signin"
)

// Each method signs in its person, and the session names the method.
func TestSignIn_EachMethod(t *testing.T) {
	t.Parallel()
	h := build(t)
	key, phone := h.passkey(alice), h.phone(alice)
	for method, attempt := range map[string]func(c *signin.Client) signin.Attempt{
		signin.MethodPassword: func(*signin.Client) signin.Attempt { return password(alice, right) },
		signin.MethodFIDO2: func(c *signin.Client) signin.Attempt {
			offer := h.offer(*c, alice, askFIDO2)
			c.Session = offer.Session
			text, err := key.Get(offer.Request)
			if err != nil {
				t.Fatal(err)
			}
			a := h.answered(alice, ceremony.FIDO2, text)
			a.Input.RequestID = offer.RequestID // as the platform's clients send it
			return a
		},
		signin.MethodUAF: func(c *signin.Client) signin.Attempt {
			offer := h.offer(*c, alice, askUAF)
			c.Session = offer.Session
			text, err := phone.Authenticate(offer.Request)
			if err != nil {
				t.Fatal(err)
			}
			return h.answered(alice, ceremony.UAF11, text)
		},
	} {
		c := here
		a := attempt(&c)
		result := h.must(c, a)
		person, ok := result.Session.User()
		if result.Status != platform.StatusAccepted || !ok || person.ID != alice || person.DisplayName == "" ||
			!slices.Equal(result.Session.Methods(), []string{method}) || result.Session.Token() == "" {
			t.Errorf("%s: %+v, %+v", method, result, person)
		}
		if a.Response != nil {
			h.refused(c, a, fault.CeremonyUnknown) // the pre-session is over
		}
	}
}

// All refusals look alike, except for UAF's status.
func TestSignIn_RefusalsAlike(t *testing.T) {
	t.Parallel()
	h := build(t)
	seen := map[string]bool{}
	look := func(c signin.Client, a signin.Attempt) {
		told := fault.Disclose(h.refused(c, a, fault.SignInRefused), fault.Anonymous)
		seen[fmt.Sprint(told.Row(), told.UAFStatusCode, told.Specific, told.RetrySeconds())] = true
	}
	for _, user := range append([]string{alice, "frank@sandbox"}, withoutKeys...) {
		look(here, password(user, "not it"))
	}
	for _, user := range []string{"dave@sandbox", "erin@sandbox", "frank@sandbox"} {
		look(here, password(user, right))
	}
	look(here, signin.Attempt{User: alice, Method: signin.MethodOTP, Input: platform.LoginInput{
		Credentials: &platform.Credentials{Authenticator: &platform.OTPCredential{OTP: "123456"}},
	}})
	if len(seen) != 1 {
		t.Errorf("refusals differ: %v", seen)
	}
}

// If the platform says that the given password has expired, its sender is told so, but
// nobody with a wrong password, none, or another credential.
func TestSignIn_ExpiredPassword(t *testing.T) {
	t.Parallel()
	h := build(t)
	const frank = "frank@sandbox"
	told := func(a signin.Attempt) fault.Action {
		return fault.Disclose(h.refused(here, a, fault.SignInRefused), fault.Anonymous).Row().Action
	}
	if told(password(frank, right)) != fault.ActionSignIn {
		t.Error("told although the installation says nothing of it")
	}
	h.RevealPasswordExpired = true
	if got := told(password(frank, right)); got != fault.ActionChangePassword {
		t.Errorf("the password: %s", got)
	}
	pushed := password(frank, right)
	pushed.Input.OrchestrationDelivery = []string{"pushNotification"}
	if got := told(pushed); got != fault.ActionChangePassword {
		t.Errorf("the password, and a push: %s", got)
	}
	for _, user := range []string{frank, alice, nobody, "dave@sandbox"} {
		if told(password(user, "not it")) != fault.ActionSignIn {
			t.Errorf("%s: told with a wrong password", user)
		}
	}
	otp := signin.Attempt{User: frank, Method: signin.MethodOTP, Input: platform.LoginInput{
		Credentials: &platform.Credentials{Authenticator: &platform.OTPCredential{OTP: "123456"}},
	}}
	for name, a := range map[string]signin.Attempt{"an empty password": password(frank, ""), "another credential": otp} {
		h.fails("login", map[string]any{"times": 1, "error": "Static password has expired"})
		if told(a) != fault.ActionSignIn {
			t.Errorf("told with %s", name)
		}
	}
}

// Failures are counted per account and address, and per account with ten times the limit;
// successes are not. Unknown accounts count alike.
func TestAttempt_FailuresCounted(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.Attempt, h.Limits.AttemptAccount = limit(t, "2/h"), limit(t, "4/h")
	for range 5 {
		h.must(here, password(alice, right))
	}
	for _, user := range []string{alice, nobody} {
		for _, address := range []string{"192.0.2.1", "2001:db8::1"} {
			for range 2 {
				h.refused(at(address), password(user, "not it"), fault.SignInRefused)
			}
		}
		if f := h.refused(at("2001:db8::2"), password(user, "not it"), fault.RequestRate); f.RetrySeconds() == 0 {
			t.Error("no Retry-After")
		}
		h.refused(at("203.0.113.9"), password(user, "not it"), fault.RequestRate)
	}
	h.Limits.Address = limit(t, "1/h")
	for i, address := range []string{"192.0.2.7", "::ffff:192.0.2.7", "192.0.2.7"} {
		if err := h.Limits.TakeAddress(t.Context(), address); fault.Is(err, fault.RequestRate) != (i > 0) {
			t.Errorf("%s, number %d: %v", address, i, err)
		}
	}
}

// A failure of the platform does not count as an attempt.
func TestAttempt_PlatformFailureNotCounted(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.Attempt, h.Limits.AttemptAccount, h.Limits.Push = limit(t, "1/h"), limit(t, "10/h"), limit(t, "1/h")
	for _, a := range []signin.Attempt{password(alice, right), push(alice)} {
		for status, key := range map[int]fault.Key{503: fault.PlatformUnavailable, 500: fault.PlatformFailed} {
			h.fails("login", map[string]any{"status": status})
			h.refused(here, a, key)
		}
	}
	h.must(here, push(alice))
}

// Only the account's owner decides the text on their phone and, unless the login is adaptive,
// the data by which the platform judges the risk; in any spelling, nobody else's is passed on.
func TestPush_TextFromOwnerOnly(t *testing.T) {
	t.Parallel()
	h := build(t)
	members := []string{"loginMessage", "sessionID", "cddc", "requestID"}
	attempt := func(a signin.Attempt) signin.Attempt {
		a.Input.LoginMessage = jsontext.Value(`{"subject":"Your prize"}`)
		a.Input.CDDC = jsontext.Value(`{"browserCDDC":{}}`)
		a.Input.SessionID, a.Input.RequestID = "s", "4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f"
		return a
	}
	for name, c := range map[string]signin.Client{"nobody": here, "bob": h.in(bob)} {
		c.Address = name
		for _, a := range []signin.Attempt{push(alice), password(alice, right)} {
			h.must(c, attempt(a))
			for _, member := range members {
				if strings.Contains(h.lastLogin(), `"`+member+`"`) {
					t.Errorf("%s, %s: %s went to the platform: %s", name, a.Method, member, h.lastLogin())
				}
			}
		}
	}
	adaptive := attempt(password(alice, right))
	adaptive.Input.RelationshipRef, adaptive.Input.SessionID = "r", "0af1"
	h.must(here, adaptive)
	for member, sent := range map[string]bool{"loginMessage": false, "sessionID": true, "cddc": true, "relationshipRef": true} {
		if strings.Contains(h.lastLogin(), `"`+member+`"`) != sent {
			t.Errorf("of an adaptive login: %s", h.lastLogin())
		}
	}
	h.must(h.in(alice), attempt(push(alice)))
	for _, member := range []string{"loginMessage", "cddc"} {
		if !strings.Contains(h.lastLogin(), `"`+member+`"`) {
			t.Errorf("of the owner's, %s did not go to the platform: %s", member, h.lastLogin())
		}
	}
	if strings.Contains(h.lastLogin(), "requestID") {
		t.Errorf("a requestID that the session does not hold went to the platform: %s", h.lastLogin())
	}
}

// A requestID is sent to the platform if the session holds it for the same account.
func TestRequestID_HeldBySession(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, user := range []string{alice, nobody} {
		waiting := h.must(at("192.0.2.2"), push(user))
		attempt := password(user, "not it")
		attempt.Input.RequestID = idOf(waiting)
		h.refused(with(here, waiting.Session), attempt, fault.SignInRefused)
		if !strings.Contains(h.lastLogin(), "requestID") {
			t.Errorf("%s: not passed on: %s", user, h.lastLogin())
		}
		h.refused(here, attempt, fault.SignInRefused)
		if strings.Contains(h.lastLogin(), "requestID") {
			t.Errorf("%s: passed on without the session: %s", user, h.lastLogin())
		}
		attempt.User = bob
		h.refused(with(here, waiting.Session), attempt, fault.SignInRefused)
		if strings.Contains(h.lastLogin(), "requestID") {
			t.Errorf("%s: passed on for another account: %s", user, h.lastLogin())
		}
	}
}

// A FIDO2 response with another requestID than the one shown is refused.
func TestRequestID_WrongRefused(t *testing.T) {
	t.Parallel()
	h := build(t)
	key := h.passkey(alice)
	for _, requestID := range []string{"authentication:4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f", "x"} {
		offer := h.offer(here, alice, askFIDO2)
		text, err := key.Get(offer.Request)
		if err != nil {
			t.Fatal(err)
		}
		a := h.answered(alice, ceremony.FIDO2, text)
		a.Input.RequestID = requestID
		h.refused(with(here, offer.Session), a, fault.CeremonyMismatch)
		a.Input.RequestID = ""
		h.refused(with(here, offer.Session), a, fault.CeremonySpent)
	}
}

// While the platform is known to be away, no ceremony is spent; after a ceremony is
// spent, no error says to retry.
func TestCeremony_NotSpentDuringOutage(t *testing.T) {
	t.Parallel()
	h := build(t)
	key := h.passkey(alice)
	finish := func() (signin.Client, signin.Attempt) {
		offer := h.offer(here, alice, askFIDO2)
		text, err := key.Get(offer.Request)
		if err != nil {
			t.Fatal(err)
		}
		return with(here, offer.Session), h.answered(alice, ceremony.FIDO2, text)
	}
	c, a := finish()
	h.fails("login", map[string]any{"status": 503})
	f := h.refused(c, a, fault.PlatformUnavailable)
	if row := f.Row(); row.Retryable || row.Action != fault.ActionRestart || f.RetrySeconds() != 0 {
		t.Errorf("after the spend: %+v, retry in %d s", row, f.RetrySeconds())
	}
	h.refused(c, a, fault.CeremonySpent)

	c, a = finish()
	h.away.Store(true)
	for h.Identity.Ready(t.Context()) == nil {
		_, _ = h.Identity.SessionStatus(t.Context(), "x")
	}
	h.calls("")
	f = h.refused(c, a, fault.PlatformUnavailable)
	if row := f.Row(); !row.Retryable || f.RetrySeconds() == 0 || h.calls("") != 0 {
		t.Errorf("before the spend: %+v, retry in %d s", row, f.RetrySeconds())
	}
	h.away.Store(false)
	again := h.anotherNode()
	if result, err := again.Try(t.Context(), c, a); err != nil || result.Status != platform.StatusAccepted {
		t.Errorf("it was spent: %v", err)
	}
}

// foreignKey returns an authenticator whose key the platform does not know.
func (h *environment) foreignKey() *authenticator.FIDO2 {
	h.t.Helper()
	own := authenticator.NewFIDO2(authenticator.Options{Origin: origin, UserVerifying: true, Discoverable: true, Platform: true})
	out, err := h.identity.GenerateFIDORegistrationRequest(h.t.Context(), "carol@sandbox", platform.RegistrationRequestInput{FIDOProtocol: "FIDO2"})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := own.Create(out.RegistrationRequest); err != nil {
		h.t.Fatal(err)
	}
	return own
}

// answeredBy returns an attempt of user's that answers what is offered here, whosever key it
// names, and its client.
func (h *environment) answeredBy(own *authenticator.FIDO2, user string) (signin.Client, signin.Attempt) {
	h.t.Helper()
	offer := h.offer(here, user, askFIDO2)
	text, err := own.Get(openToAll(h.t, offer.Request))
	if err != nil {
		h.t.Fatal(err)
	}
	a := h.answered(user, ceremony.FIDO2, text)
	a.Input.RequestID = offer.RequestID
	return with(here, offer.Session), a
}

// Nobody signs in by a decoy, even if the platform accepts the answer to it.
func TestDecoy_SignsNobodyIn(t *testing.T) {
	t.Parallel()
	h := build(t)
	own := h.foreignKey()
	for _, user := range withoutKeys {
		c, a := h.answeredBy(own, user)
		h.fails("login", map[string]any{"status": 200, "body": map[string]any{"sessionStatus": "accepted"}})
		h.refused(c, a, fault.SignInRefused)
	}
}

// No authenticator can answer a decoy; a response to one is refused like any other, after
// one call to the platform.
func TestDecoy_RefusedLikeRealRequest(t *testing.T) {
	t.Parallel()
	h := build(t)
	own := h.foreignKey()
	h.passkey(alice)
	told := map[string]bool{}
	for _, user := range append([]string{alice}, withoutKeys...) {
		c, a := h.answeredBy(own, user)
		h.calls("")
		told[fmt.Sprint(fault.Disclose(h.refused(c, a, fault.SignInRefused), fault.Anonymous).Row())] = true
		if n := h.calls("/login"); n != 1 {
			t.Errorf("%s: the platform was asked %d times", user, n)
		}
		h.refused(c, a, fault.CeremonySpent)
		if n := h.calls(""); n != 0 {
			t.Errorf("%s: the platform was asked %d times about what is spent", user, n)
		}
	}
	if len(told) != 1 {
		t.Errorf("told %v", told)
	}
}

// An account that the platform says cannot be used gets no session, though the platform
// accepted the password; nor does one whose state cannot be read. A platform that does not
// answer keeps nobody out.
func TestSignIn_UnusableAccountRefused(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fault.Key{
		`{"userID":"alice","enabled":false,"locked":false}`:               fault.SignInRefused,
		`{"userID":"alice","enabled":true,"locked":true}`:                 fault.SignInRefused,
		`{"userID":"alice","enabled":true,"locked":false,"expired":true}`: fault.SignInRefused,
		`{"userID":"alice"}`:                   fault.PlatformFailed,
		`{"userID":"alice","status":"active"}`: fault.PlatformFailed,
		`{"enabled":"true","locked":false}`:    fault.PlatformFailed,
		``:                                     fault.PlatformFailed,
		`{"userID":"alice","enabled":true,"locked":false}`: "",
	} {
		h := build(t)
		h.fails("getUser", map[string]any{"status": 200, "body": jsontext.Value(cmp.Or(body, `""`))})
		result, err := h.Try(t.Context(), here, password(alice, right))
		switch {
		case want == "" && (err != nil || result.Session == nil):
			t.Errorf("%s: %+v, %v", body, result, err)
		case want != "" && (!fault.Is(err, want) || result.Session != nil):
			t.Errorf("%s: %+v, %v, want %s", body, result, err, want)
		}
	}
	for _, status := range []int{http.StatusMovedPermanently, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusConflict, http.StatusGone} {
		h := build(t)
		h.fails("getUser", map[string]any{"status": status, "times": 0})
		h.refused(here, password(alice, right), fault.PlatformFailed)
	}
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable} {
		h := build(t)
		h.fails("getUser", map[string]any{"status": status, "times": 0})
		if result, err := h.Try(t.Context(), here, password(alice, right)); err != nil || result.Session == nil {
			t.Errorf("%d: %+v, %v", status, result, err)
		}
	}
}
