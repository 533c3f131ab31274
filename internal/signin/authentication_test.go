package signin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
)

// openToAll returns a request that names no credentials.
func openToAll(t testing.TB, request string) string {
	t.Helper()
	var options map[string]any
	if err := json.Unmarshal([]byte(request), &options); err != nil {
		t.Fatal(err)
	}
	delete(options, "allowCredentials")
	text, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var bytesForm = regexp.MustCompile(`("challenge":|"id":|"keyIDs":\[|"serverData":)"[A-Za-z0-9_-]+"`)

// looks returns an offer without the bytes and the number of its credentials.
func looks(text string) string {
	text = bytesForm.ReplaceAllString(text, "$1")
	text = regexp.MustCompile(`(\{"type":"public-key","id":\},?)+`).ReplaceAllString(text, "CREDENTIALS")
	return regexp.MustCompile(`(\[\{"aaid":\["5B0C#0001"\],"keyIDs":\[\]\}\],?)+`).ReplaceAllString(text, "KEYS")
}

// Clients other than the account's owner see the same for every account: before anybody
// has signed in, with every preference, in every order, and with the same credentials
// each time.
func TestOffer_AlikeForEveryAccount(t *testing.T) {
	t.Parallel()
	wishes := []platform.AuthenticationRequestInput{askFIDO2, {FIDOProtocol: "FIDO2", UserVerification: "required"}, askUAF}
	requestID := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, order := range [][]string{append([]string{alice}, withoutKeys...), append(slices.Clone(withoutKeys), alice)} {
		h := build(t)
		h.passkey(alice)
		h.phone(alice)
		credentials := map[string]string{}
		for range 2 {
			for _, in := range wishes {
				seen := map[string][]string{}
				for _, user := range order {
					h.calls("")
					offer := h.offer(here, user, in)
					if h.calls("generate") != 1 {
						t.Errorf("%s: the platform was not asked once", user)
					}
					if !requestID.MatchString(offer.RequestID) {
						t.Errorf("%s: requestID %q", user, offer.RequestID)
					}
					status := fmt.Sprint(offer.UAFStatusCode != nil && *offer.UAFStatusCode == 1200)
					seen[looks(offer.Request)+status] = append(seen[looks(offer.Request)+status], user)
					names := fmt.Sprint(regexp.MustCompile(`("id":|"keyIDs":\[)"[^"]+"`).FindAllString(offer.Request, -1))
					if before, ok := credentials[user+in.FIDOProtocol]; ok && before != names {
						t.Errorf("%s: %s, before %s", user, names, before)
					}
					credentials[user+in.FIDOProtocol] = names
					if decoy := offer.Cause != nil; decoy == (user == alice) {
						t.Errorf("%s: decoy %t", user, decoy)
					}
				}
				if len(seen) != 1 {
					t.Errorf("%v, %v: offers differ: %v", order, in, slices.Sorted(maps.Keys(seen)))
				}
			}
		}
	}
}

// The account's owner gets the platform's request, put right where it is written leniently, or
// the reason why there is none; every other signed-in person counts as an outsider.
func TestOffer_OwnerGetsNoDecoy(t *testing.T) {
	t.Parallel()
	h := build(t)
	owner, other := h.in(alice), h.in(bob)
	for _, in := range []platform.AuthenticationRequestInput{askFIDO2, askUAF} {
		_, err := h.Offer(t.Context(), owner, alice, in)
		if told := fault.Disclose(err, fault.SignedIn); err == nil || told.Key != fault.AuthenticationNoAuthenticator {
			t.Errorf("the owner: %v", err)
		}
		if offer := h.offer(other, alice, in); offer.Cause == nil {
			t.Errorf("somebody else: no decoy but %s", offer.Request)
		}
		reveals := here
		reveals.RevealAccountState = true
		if offer, err := h.Offer(t.Context(), reveals, "dave@sandbox", in); err == nil {
			t.Errorf("where nothing is concealed: %+v", offer)
		}
	}
	h.fails("generateFidoAuthenticationRequest", map[string]any{"body": map[string]any{
		"requestID": "x", "authenticationRequest": `{"challenge":"AAAA","allowCredentials":[]}`,
	}})
	if _, err := h.Offer(t.Context(), owner, alice, askFIDO2); fault.Disclose(err, fault.SignedIn).Key != fault.AuthenticationNoAuthenticator {
		t.Errorf("of an empty list the owner is told %v", err)
	}
	h.passkey(alice)
	const untouched = `{ "challenge":"AAAA","mediation":"x"}`
	for request, want := range map[string]string{
		untouched: untouched, `{"publicKey":{"challenge":"+/8=","rpId":null,"timeout":null}}`: `{"challenge":"-_8"}`,
	} {
		h.fails("generateFidoAuthenticationRequest", map[string]any{"body": map[string]any{"requestID": "authentication:x", "authenticationRequest": request}})
		if offer := h.offer(owner, alice, askFIDO2); offer.Request != want || offer.RequestID != "authentication:x" {
			t.Errorf("the owner gets %+v", offer)
		}
	}
	for _, id := range []string{strings.Repeat("x", 256), "a b", "\u200b"} {
		h.fails("generateFidoAuthenticationRequest", map[string]any{"body": map[string]any{"requestID": id, "authenticationRequest": untouched}})
		if offer, err := h.Offer(t.Context(), owner, alice, askFIDO2); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("requestID %q: %+v, %v", id, offer, err)
		}
	}
}

// Only the owner can begin a transaction, and there are no decoys for it.
func TestTransaction_GetsNoDecoy(t *testing.T) {
	t.Parallel()
	h := build(t)
	pay := platform.AuthenticationRequestInput{FIDOProtocol: "UAF11", AuthenticationMessage: "Pay 5 EUR"}
	if _, err := h.Offer(t.Context(), here, alice, pay); !fault.Is(err, fault.SessionRequired) {
		t.Errorf("signed out: %v", err)
	}
	if _, err := h.Offer(t.Context(), h.in(bob), alice, pay); !fault.Is(err, fault.SessionForbidden) {
		t.Errorf("somebody else: %v", err)
	}
	if offer, err := h.Offer(t.Context(), h.in(alice), alice, pay); err == nil {
		t.Errorf("without a key: %+v", offer)
	}
	h.phone(alice)
	if offer := h.offer(h.in(alice), alice, pay); !strings.Contains(offer.Request, `"transaction"`) {
		t.Errorf("no transaction in %s", offer.Request)
	}
	for _, user := range []string{alice, nobody} {
		if offer := h.offer(here, user, askUAF); strings.Contains(offer.Request, "transaction") {
			t.Errorf("%s: %s", user, offer.Request)
		}
	}
}

// An invalid request of the platform is a failure, not a reason for a decoy.
func TestOffer_InvalidPlatformRequest(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, request := range []string{"{", `{"challenge":""}`, "[]"} {
		h.fails("generateFidoAuthenticationRequest", map[string]any{"body": map[string]any{"requestID": "x", "authenticationRequest": request}})
		if offer, err := h.Offer(t.Context(), here, alice, askFIDO2); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s: %+v, %v", request, offer, err)
		}
	}
}
