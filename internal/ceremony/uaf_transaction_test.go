package ceremony_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// drawn is the second form of a transaction.
var drawn = uaf.Transaction{ContentType: "image/png", Content: []byte("a picture")}

// The content is hashed after decoding, each of its forms in turn.
func TestUAFTransaction_ContentHashed(t *testing.T) {
	t.Parallel()
	words := text(t, "Pay 10 EUR")
	got, err := ceremony.FromAuthenticationRequest(ceremony.UAF11, authenticationRequest(t, words, drawn))
	if err != nil {
		t.Fatal(err)
	}
	first, second := sha256.Sum256([]byte("Pay 10 EUR")), sha256.Sum256(drawn.Content)
	if !bytes.Equal(got.TransactionHash, slices.Concat(first[:], second[:])) || got.AppID != appID {
		t.Errorf("transaction: %x, appID %q", got.TransactionHash, got.AppID)
	}
}

func TestUAFTransaction_ConfirmedText(t *testing.T) {
	t.Parallel()
	pay, other := text(t, "Pay 10 EUR to Bob"), text(t, "Pay 9999 EUR to Eve")
	for name, c := range map[string]struct {
		kind             ceremony.Kind
		asked, confirmed []uaf.Transaction
		want             fault.Key
	}{
		"what was shown":                   {ceremony.Transaction, []uaf.Transaction{pay}, []uaf.Transaction{pay}, ""},
		"its picture":                      {ceremony.Transaction, []uaf.Transaction{pay, drawn}, []uaf.Transaction{drawn}, ""},
		"something else":                   {ceremony.Transaction, []uaf.Transaction{pay}, []uaf.Transaction{other}, fault.CeremonyMismatch},
		"a picture of which nobody asked":  {ceremony.Transaction, []uaf.Transaction{pay}, []uaf.Transaction{drawn}, fault.CeremonyMismatch},
		"a transaction in a sign-in":       {ceremony.SignIn, nil, []uaf.Transaction{pay}, fault.CeremonyMismatch},
		"nothing of what was shown":        {ceremony.Transaction, []uaf.Transaction{pay}, nil, fault.CeremonyMismatch},
		"a transaction of which none came": {ceremony.Transaction, nil, nil, fault.CeremonyMismatch},
		"the platform's own in a sign-in":  {ceremony.SignIn, []uaf.Transaction{pay}, []uaf.Transaction{pay}, ""},
		"nothing in a sign-in":             {ceremony.SignIn, nil, nil, ""},
	} {
		a := phone(t)
		if _, err := a.Register(registrationRequest(t)); err != nil {
			t.Fatal(err)
		}
		response, err := a.Authenticate(authenticationRequest(t, c.confirmed...))
		if err != nil {
			t.Fatal(err)
		}
		asked, err := ceremony.FromAuthenticationRequest(ceremony.UAF11, authenticationRequest(t, c.asked...))
		if err != nil {
			t.Fatal(err)
		}
		r, err := readUAF(c.kind, response)
		if err != nil {
			t.Fatal(err)
		}
		pending, got := pendingUAF(c.kind)
		pending.TransactionHash = asked.TransactionHash
		wantRefusal(t, name, party.Check(pending, got, r), c.want, uaf.StatusUnacceptableContent)
	}
}

// Assertions are judged one by one: one that confirms the transaction is enough.
func TestUAFTransaction_SeveralAssertions(t *testing.T) {
	t.Parallel()
	pay, other := text(t, "Pay 10 EUR to Bob"), text(t, "Pay 9999 EUR to Eve")
	kept := map[string]uaf.Assertion{}
	for _, shown := range []uaf.Transaction{pay, other} {
		answers(t, phone(t), softuaf.Tamper{Response: func(r *uaf.Response) { kept[string(shown.Content)] = r.Assertions[0] }}, shown)
	}
	good, bad := kept[string(pay.Content)], kept[string(other.Content)]
	broken := uaf.Assertion{Scheme: uaf.SchemeTLV, Text: base64.RawURLEncoding.EncodeToString([]byte("nothing"))}
	for name, c := range map[string]struct {
		assertions []uaf.Assertion
		want       fault.Key
	}{
		"the good one last":   {[]uaf.Assertion{broken, bad, good}, ""},
		"the good one first":  {[]uaf.Assertion{good, bad}, ""},
		"no good one":         {[]uaf.Assertion{broken, bad, bad}, fault.CeremonyMismatch},
		"none well-formed":    {[]uaf.Assertion{broken, broken}, fault.CeremonyMalformed},
		"no assertion at all": {[]uaf.Assertion{}, fault.CeremonyMalformed},
	} {
		response := answers(t, phone(t), softuaf.Tamper{Response: func(r *uaf.Response) {
			if r.Header.Operation == uaf.OperationAuthentication {
				r.Assertions = c.assertions
			}
		}}, pay)[ceremony.Transaction]
		r, err := readUAF(ceremony.Transaction, response)
		if err == nil {
			pending, got := pendingUAF(ceremony.Transaction)
			pending.TransactionHash = pay.Hash()
			err = party.Check(pending, got, r)
		}
		wantRefusal(t, name, err, c.want, uaf.StatusUnacceptableContent)
	}
}
