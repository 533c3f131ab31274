package uaf_test

import (
	"fmt"
	"testing"

	"countersign/internal/uaf"
)

func phone() uaf.AuthenticatorInfo {
	return uaf.AuthenticatorInfo{
		AAID: "ABCD#1234", Version: 5, KeyIDs: [][]byte{make([]byte, 32)},
		UserVerification: 0x2, KeyProtection: 0x6, MatcherProtection: 0x2, AttachmentHint: 0x1, TCDisplay: 0x5,
		Algorithms: []uaf.SignatureAlgorithm{1, 2}, AssertionScheme: uaf.SchemeTLV, AttestationTypes: []uaf.Tag{uaf.TagAttestationFull},
	}
}

func TestMatchCriteria_Matches(t *testing.T) {
	key := encode(make([]byte, 32))
	cases := []struct {
		name     string
		criteria uaf.MatchCriteria
		want     bool
	}{
		{"none", uaf.MatchCriteria{}, true},
		{"its AAID", uaf.MatchCriteria{AAIDs: []uaf.AAID{"0000#0000", "abcd#1234"}}, true},
		{"another AAID", uaf.MatchCriteria{AAIDs: []uaf.AAID{"0000#0000"}}, false},
		{"its vendor", uaf.MatchCriteria{VendorIDs: []string{"0000", "abCD"}}, true},
		{"another vendor", uaf.MatchCriteria{VendorIDs: []string{"1234"}}, false},
		{"its key", uaf.MatchCriteria{KeyIDs: []string{"x", key}}, true},
		{"another key", uaf.MatchCriteria{KeyIDs: []string{"x"}}, false},
		{"its protection among others", uaf.MatchCriteria{KeyProtection: 0xA}, true},
		{"another protection", uaf.MatchCriteria{KeyProtection: 0x9}, false},
		{"its matcher", uaf.MatchCriteria{MatcherProtection: 0x3}, true},
		{"another matcher", uaf.MatchCriteria{MatcherProtection: 0x4}, false},
		{"its attachment", uaf.MatchCriteria{AttachmentHint: 0x3}, true},
		{"another attachment", uaf.MatchCriteria{AttachmentHint: 0x2}, false},
		{"its display", uaf.MatchCriteria{TCDisplay: 0x4}, true},
		{"another display", uaf.MatchCriteria{TCDisplay: 0x2}, false},
		{"its algorithm", uaf.MatchCriteria{Algorithms: []uaf.SignatureAlgorithm{9, 2}}, true},
		{"another algorithm", uaf.MatchCriteria{Algorithms: []uaf.SignatureAlgorithm{9}}, false},
		{"its scheme", uaf.MatchCriteria{AssertionSchemes: []string{"X", uaf.SchemeTLV}}, true},
		{"another scheme", uaf.MatchCriteria{AssertionSchemes: []string{"X"}}, false},
		{"its attestation", uaf.MatchCriteria{AttestationTypes: []uaf.Tag{uaf.TagAttestationSurrogate, uaf.TagAttestationFull}}, true},
		{"another attestation", uaf.MatchCriteria{AttestationTypes: []uaf.Tag{uaf.TagAttestationSurrogate}}, false},
		{"its version", uaf.MatchCriteria{AuthenticatorVersion: 5}, true},
		{"a newer version", uaf.MatchCriteria{AuthenticatorVersion: 6}, false},
		{"an extension to ignore", uaf.MatchCriteria{Extensions: []uaf.Extension{{ID: "x"}}}, true},
		{"an extension to know", uaf.MatchCriteria{Extensions: []uaf.Extension{{ID: "x", FailIfUnknown: true}}}, false},
		{"one of two agrees", uaf.MatchCriteria{TCDisplay: 0x4, KeyProtection: 0x1}, false},
	}
	for _, c := range cases {
		if got := c.criteria.Matches(phone()); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	silent := phone()
	silent.AttachmentHint = 0
	if !(uaf.MatchCriteria{AttachmentHint: 2}).Matches(silent) {
		t.Error("an authenticator that does not say where it is attached is left out")
	}
}

// User verification matches if equal, or if both sides need only one of their methods and
// share one.
func TestMatchCriteria_UserVerification(t *testing.T) {
	const all = 0x400
	cases := []struct {
		wanted, offered uint32
		want            bool
	}{
		{0x2, 0x2, true}, {0x2, 0x4, false}, {0x6, 0x2, true}, {0x2, 0x6, true},
		{0x6 | all, 0x6 | all, true}, {0x6 | all, 0x6, false}, {0x6, 0x6 | all, false},
		{0x2 | all, 0x6 | all, false}, {0, 0x6 | all, true}, {0x2, 0, false},
	}
	for _, c := range cases {
		info := phone()
		info.UserVerification = c.offered
		if got := (uaf.MatchCriteria{UserVerification: c.wanted}).Matches(info); got != c.want {
			t.Errorf("wanted %#x, offered %#x: %v", c.wanted, c.offered, got)
		}
	}
}

func TestMatchCriteria_ConflictingMembers(t *testing.T) {
	algorithms, schemes := []any{1}, []any{uaf.SchemeTLV}
	key := encode(make([]byte, 32))
	cases := []struct {
		name     string
		criteria object
		want     uaf.Status
	}{
		{"a model", object{"aaid": []any{"ABCD#1234"}}, uaf.StatusOK},
		{"a model's key", object{"aaid": []any{"ABCD#1234"}, "keyIDs": []any{key}}, uaf.StatusOK},
		{"a model with all that it goes with", object{"aaid": []any{"ABCD#1234"}, "attachmentHint": 1, "authenticatorVersion": 2,
			"exts": []any{object{"id": "x", "data": "", "fail_if_unknown": false}}}, uaf.StatusOK},
		{"algorithms and schemes", object{"authenticationAlgorithms": algorithms, "assertionSchemes": schemes}, uaf.StatusOK},
		{"a description", object{"authenticationAlgorithms": algorithms, "assertionSchemes": schemes, "vendorID": []any{"ABCD"},
			"userVerification": 2, "keyProtection": 2, "matcherProtection": 2, "tcDisplay": 1, "attestationTypes": []any{15879}}, uaf.StatusOK},
		{"nothing", object{}, content},
		{"schemes alone", object{"assertionSchemes": schemes}, content},
		{"algorithms alone", object{"authenticationAlgorithms": algorithms}, content},
		{"a description without algorithms", object{"userVerification": 2}, content},
		{"a model and its verification", object{"aaid": []any{"ABCD#1234"}, "userVerification": 2}, content},
		{"a model and its algorithms", object{"aaid": []any{"ABCD#1234"}, "authenticationAlgorithms": algorithms}, content},
		{"a model and its vendor", object{"aaid": []any{"ABCD#1234"}, "vendorID": []any{"ABCD"}}, content},
		{"a model that is none", object{"aaid": []any{"ABCD1234"}}, content},
		{"a model that is no list", object{"aaid": "ABCD#1234"}, content},
		{"a key that is none", object{"aaid": []any{"ABCD#1234"}, "keyIDs": []any{"AAAA"}}, content},
		{"a version too large", object{"aaid": []any{"ABCD#1234"}, "authenticatorVersion": 65536}, content},
		{"null", nil, content},
		{"no models", object{"aaid": []any{}, "authenticationAlgorithms": algorithms, "assertionSchemes": schemes}, content},
		{"no keys of a model", object{"aaid": []any{"ABCD#1234"}, "keyIDs": []any{}}, content},
		{"no keys", object{"keyIDs": []any{}, "authenticationAlgorithms": algorithms, "assertionSchemes": schemes}, content},
		{"no vendors", object{"vendorID": []any{}, "authenticationAlgorithms": algorithms, "assertionSchemes": schemes}, content},
		{"a vendor without a name", object{"vendorID": []any{""}, "authenticationAlgorithms": algorithms, "assertionSchemes": schemes}, content},
		{"no algorithms", object{"aaid": []any{"ABCD#1234"}, "authenticationAlgorithms": []any{}}, content},
		{"no schemes", object{"aaid": []any{"ABCD#1234"}, "assertionSchemes": []any{}}, content},
		{"a scheme without a name", object{"authenticationAlgorithms": algorithms, "assertionSchemes": []any{""}}, content},
		{"no attestation types", object{"aaid": []any{"ABCD#1234"}, "attestationTypes": []any{}}, content},
		{"no extensions", object{"aaid": []any{"ABCD#1234"}, "exts": []any{}}, content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			request := registrationRequest(t)
			for _, policy := range []object{
				{"accepted": []any{[]any{c.criteria}}},
				{"accepted": []any{[]any{object{"aaid": []any{"ABCD#1234"}}}}, "disallowed": []any{c.criteria}},
			} {
				_, err := uaf.ParseRegistrationRequest(changed(t, request, set("policy", policy)))
				wantStatus(t, err, c.want)
			}
		})
	}
}

func TestPolicy_AcceptedAndDisallowed(t *testing.T) {
	model := func(n int) uaf.MatchCriteria { return uaf.MatchCriteria{AAIDs: []uaf.AAID{aaidOf(n)}} }
	any := uaf.MatchCriteria{AssertionSchemes: []string{uaf.SchemeTLV}}
	policy := uaf.Policy{Accepted: [][]uaf.MatchCriteria{{model(1)}, {any, model(2)}}, Disallowed: []uaf.MatchCriteria{model(3)}}
	for n, want := range []bool{true, true, true, false} {
		if got := policy.Allows(info(n)); got != want {
			t.Errorf("model %d allowed: %v", n, got)
		}
	}
	if (uaf.Policy{}).Allows(phone()) {
		t.Error("an empty policy accepts something")
	}
}

func aaidOf(n int) uaf.AAID { return uaf.AAID(fmt.Sprintf("ABCD#%04X", n)) }

func info(n int) uaf.AuthenticatorInfo {
	info := phone()
	info.AAID = aaidOf(n)
	return info
}

func TestAuthenticationPolicy_AllowsRegisteredKeys(t *testing.T) {
	key := uaf.KeyReference{AAID: "0000#0001", KeyID: make([]byte, 32)}
	holder := uaf.AuthenticatorInfo{AAID: "0000#0001", KeyIDs: [][]byte{key.KeyID}}
	if !uaf.AuthenticationPolicy([]uaf.KeyReference{key}).Allows(holder) {
		t.Error("a registered key may not authenticate")
	}
	holder.KeyIDs[0] = []byte("another")
	if uaf.AuthenticationPolicy([]uaf.KeyReference{key}).Allows(holder) {
		t.Error("another key may authenticate")
	}
}
