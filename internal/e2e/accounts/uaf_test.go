package accounts_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/uaf"
)

func TestUAF_Ceremonies(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t),
		signingInWithUAFAndNoPassword, aUAFCeremonyIsSpentOnce, nobodyFinishesAnothersUAFCeremony,
		bothProtocolsSideBySide, uafTransactions, uafDeregistration,
		brokenUAFResponsesNeverReachThePlatform,
		thePlatformsVerdictOnUAFIsPassedOn,
	)
}

// tampered returns the phone, which from now on breaks one thing.
func tampered(a *softuaf.Authenticator, with softuaf.Tamper) *softuaf.Authenticator {
	a.Options.Tamper = with
	return a
}

func methodsOf(r e2etest.Reply) string {
	text, _ := json.Marshal(r.Member("methods"))
	return string(text)
}

// The pre-session of the request carries the ceremony to the login, and ends with it.
func signingInWithUAFAndNoPassword(t *testing.T, app *e2etest.App) {
	a := e2etest.Phone(t, app)
	e2etest.Program(t, app).SignedIn("alice@sandbox").RegisterUAF(a)

	c := e2etest.Program(t, app)
	response := c.Sign("alice@sandbox", a, "")
	before := c.Header.Get("Authorization")
	c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	e2etest.Program(t, app).FinishSignIn("alice@sandbox", response).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
	r := c.FinishSignIn("alice@sandbox", response).Want(http.StatusOK).UAFStatus(1200)
	if after := c.Header.Get("Authorization"); after == before || r.Text("sessionToken") == "" {
		t.Error("the token is still that of the pre-session")
	}
	me := c.Send("GET", "/session", nil).Want(http.StatusOK)
	if methodsOf(me) != `["uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
	c.Send("GET", "/session", nil, "Authorization", before).Refused(http.StatusUnauthorized, "session.required")

	inABrowser := e2etest.Browser(t, app)
	inABrowser.FinishSignIn("alice@sandbox", inABrowser.Sign("alice@sandbox", a, "")).Want(http.StatusOK).UAFStatus(1200)
	if me := inABrowser.Send("GET", "/session", nil).Want(http.StatusOK); methodsOf(me) != `["uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
}

func aUAFCeremonyIsSpentOnce(t *testing.T, app *e2etest.App) {
	a := e2etest.PhoneOf(t, app, "alice@sandbox")
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	confirmed := c.Sign("me", a, "Pay 5 EUR")
	c.Confirm("me", confirmed).Want(http.StatusOK)
	signed := c.Sign("alice@sandbox", a, "")
	c.FinishSignIn("alice@sandbox", signed).Want(http.StatusOK)
	e2etest.Untouched(t, app, func() {
		c.Confirm("me", confirmed).Refused(http.StatusConflict, "ceremony.spent").UAFStatus(1491)
		c.FinishSignIn("alice@sandbox", signed).Refused(http.StatusConflict, "ceremony.spent").UAFStatus(1491)
	}, "validateTransaction", "login")
}

func nobodyFinishesAnothersUAFCeremony(t *testing.T, app *e2etest.App) {
	a := e2etest.PhoneOf(t, app, "alice@sandbox")
	alice, other, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	signed, confirmed := alice.Sign("alice@sandbox", a, ""), alice.Sign("me", a, "Pay 5 EUR")
	e2etest.Untouched(t, app, func() {
		other.FinishSignIn("alice@sandbox", signed).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		other.Confirm("me", confirmed).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		bob.Confirm("alice@sandbox", confirmed).Refused(http.StatusForbidden, "session.forbidden")
		e2etest.Program(t, app).Confirm("alice@sandbox", confirmed).Refused(http.StatusUnauthorized, "session.required")
		// The client's own, but begun for another person.
		alice.FinishSignIn("bob@sandbox", signed).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1491)
	}, "login", "validateTransaction")
	// A response signed later has a higher counter, so that one is finished.
	alice.Confirm("me", confirmed).Want(http.StatusOK)
}

// Registrations of both protocols exist side by side in one session.
func bothProtocolsSideBySide(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "POST", "/reset", nil)
	a, key := e2etest.Phone(t, app), e2etest.NewPasskey(app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	created, enrolled := c.Create(key, c.RequestRegistration().Want(http.StatusOK)), c.Enrol(a)
	e2etest.Untouched(t, app, func() {
		c.FinishUAF(created).Refused(http.StatusBadRequest, "ceremony.malformed").UAFStatus(1498)
		c.FinishRegistration(enrolled).Refused(http.StatusBadRequest, "ceremony.malformed")
	}, "registerFidoDevice")
	c.FinishUAF(enrolled).Want(http.StatusOK).UAFStatus(1200)
	if r := c.FinishRegistration(created).Want(http.StatusOK); r.Member("uafStatusCode") != nil {
		t.Errorf("FIDO2: %s", r.Body)
	}
	var protocols []string
	list, _ := c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
	for _, one := range list {
		authenticator, _ := one.(map[string]any)
		protocols = append(protocols, fmt.Sprint(authenticator["protocol"]))
		if authenticator["protocol"] == "UAF11" && authenticator["aaid"] != string(softuaf.DemoAAID) {
			t.Errorf("registered %v", authenticator)
		}
	}
	if slices.Sort(protocols); !slices.Equal(protocols, []string{"FIDO2", "UAF11"}) {
		t.Errorf("registered %v", protocols)
	}

	signed, got := c.Sign("alice@sandbox", a, ""), c.Get(key, c.RequestSignIn("alice@sandbox"))
	c.FinishSignIn("alice@sandbox", got).Want(http.StatusOK)
	c.FinishSignIn("alice@sandbox", signed).Want(http.StatusOK).UAFStatus(1200)
	if me := c.Send("GET", "/session", nil); methodsOf(me) != `["password","fido2","uaf"]` {
		t.Errorf("methods %s", methodsOf(me))
	}
}

func uafTransactions(t *testing.T, app *e2etest.App) {
	a := e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)

	other, err := uaf.NewTextTransaction("Pay 9999 EUR to Eve")
	if err != nil {
		t.Fatal(err)
	}
	swap := softuaf.Tamper{Signed: func(e *uaf.Element) {
		i := slices.IndexFunc(e.Children, func(c uaf.Element) bool { return c.Tag == uaf.TagTransactionContentHash })
		e.Children[i].Value = other.Hash()
	}}
	e2etest.Untouched(t, app, func() {
		c.Confirm("me", c.Sign("me", tampered(a, swap), "Pay 5 EUR to Bob")).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1498)
		a.Options.Tamper = softuaf.Tamper{}
		// A sign-in confirms nothing, and a transaction signs nobody in.
		c.Confirm("me", c.Sign("me", a, "")).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1491)
		c.FinishSignIn("alice@sandbox", c.Sign("me", a, "Pay 5 EUR to Bob")).Refused(http.StatusConflict, "ceremony.mismatch").UAFStatus(1491)
	}, "validateTransaction", "login")

	c.Confirm("me", c.Sign("me", a, "Pay 5 EUR to Bob")).Want(http.StatusOK).UAFStatus(1200)

	message := map[string]any{"fidoProtocol": "UAF11", "authenticationMessage": "Pay 5 EUR"}
	const ask = "/users/alice@sandbox/generate-fido-authentication-request"
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "generateFidoAuthenticationRequest", "error": "No words that we know"})
	c.Send("POST", ask, message).Refused(http.StatusConflict, "transaction.refused")
	e2etest.Program(t, app).Send("POST", ask, message).Refused(http.StatusUnauthorized, "session.required")
	e2etest.Program(t, app).SignedIn("bob@sandbox").Send("POST", ask, message).Refused(http.StatusForbidden, "session.forbidden")
}

// Removing a registration answers with a request that makes the authenticator delete its
// key.
func uafDeregistration(t *testing.T, app *e2etest.App) {
	e2etest.Manage(t, app, "POST", "/reset", nil)
	a, other := e2etest.Phone(t, app), e2etest.Phone(t, app)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	c.RegisterUAF(a)
	c.RegisterUAF(other)
	pending := c.Sign("alice@sandbox", a, "")
	list, _ := c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
	first, _ := list[0].(map[string]any)
	r := c.Send("DELETE", "/users/me/authenticators/"+fmt.Sprint(first["id"]), nil).Want(http.StatusOK)
	for one, want := range map[*softuaf.Authenticator]int{a: 1, other: 0} {
		if deleted, err := one.Deregister(r.Text("deregistrationRequest")); err != nil || deleted != want {
			t.Errorf("deleted %d keys (%v), want %d", deleted, err, want)
		}
	}
	c.FinishSignIn("alice@sandbox", pending).Refused(http.StatusConflict, "sign-in.refused")
	fresh := e2etest.Program(t, app)
	fresh.FinishSignIn("alice@sandbox", fresh.Sign("alice@sandbox", other, "")).Want(http.StatusOK)

	// Removing the last one needs confirmation in a session that has no other method.
	list, _ = fresh.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Member("authenticators").([]any)
	last, _ := list[0].(map[string]any)
	path := "/users/me/authenticators/" + fmt.Sprint(last["id"])
	fresh.Send("DELETE", path, nil).Refused(http.StatusConflict, "authenticator.last")
	fresh.Send("DELETE", path+"?confirm=last", nil).Want(http.StatusOK)
}
