package conformance

import (
	"slices"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/uaf"
)

func uafKey(t *T, c contract) {
	device := c.uafDevice(t)
	made := c.registerUAF(t, device)
	defer c.remove(t, made)
	read, err := uaf.ParseAuthenticationRequest(c.challengeUAF(t, ""))
	if err != nil {
		t.Fatalf("authenticationRequest is not a UAF message: %v", err)
	}
	if len(read.Transactions) > 0 {
		t.Errorf("a sign-in shows %+v", read.Transactions)
	}
	c.signInUAF(t, device)
	c.signInUAF(t, device)
	list := c.list(t, c.User)
	if len(list) != 1 || list[0].LastUsedAt.IsZero() || list[0].LastUsedAt.Before(list[0].CreatedAt) || !list[0].CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("listed as %+v", list)
	}
}

func refusedUAFSignIns(t *T, c contract) {
	device := c.uafDevice(t)
	defer c.remove(t, c.registerUAF(t, device))
	kept, err := device.Store()
	if err != nil {
		t.Fatal(err)
	}
	wantUAF(t, "for another person", c.loginUAF(t, c.Other, answered(t, device.Authenticate, c.challengeUAF(t, ""))), fault.SignInRefused,
		uaf.StatusRequestInvalid, uaf.StatusNotFound)
	response := answered(t, device.Authenticate, c.challengeUAF(t, ""))
	if err := c.loginUAF(t, c.User, response); err != nil {
		t.Fatalf("as it should be: %v", err)
	}
	wantUAF(t, "a second time", c.loginUAF(t, c.User, response), fault.SignInRefused, uaf.StatusRequestInvalid)
	for name, one := range tamperedResponses {
		response := tampered(t, device, one.how, device.Authenticate, c.challengeUAF(t, ""))
		wantUAF(t, name, c.loginUAF(t, c.User, response), fault.SignInRefused, one.fit...)
	}

	copied, err := kept.Restore(c.Facet)
	if err != nil {
		t.Fatal(err)
	}
	wantUAF(t, "a copy of the key, whose counter stands still", c.loginUAF(t, c.User, answered(t, copied.Authenticate, c.challengeUAF(t, ""))),
		fault.SignInRefused, uaf.StatusUnacceptableContent, uaf.StatusUnacceptableAuthenticator, uaf.StatusUnacceptableKey)
	c.signInUAF(t, device)
}

func noUAFKey(t *T, c contract) {
	ask := func() error {
		return failure(c.client.GenerateFIDOAuthenticationRequest(t.Context(), c.User, platform.AuthenticationRequestInput{FIDOProtocol: platform.UAF11}))
	}
	wantExact(t, "before", ask(), fault.AuthenticationNoAuthenticator)
	device := c.uafDevice(t)
	made := c.registerUAF(t, device)
	response := answered(t, device.Authenticate, c.challengeUAF(t, ""))
	c.remove(t, made)
	wantUAF(t, "with one removed meanwhile", c.loginUAF(t, c.User, response), fault.SignInRefused,
		uaf.StatusUnknownKeyID, uaf.StatusNotFound, uaf.StatusRequestInvalid)
	wantExact(t, "after", ask(), fault.AuthenticationNoAuthenticator)
}

const message = "Pay 100 EUR to Bob?"

func transaction(t *T, c contract) {
	device := c.uafDevice(t)
	defer c.remove(t, c.registerUAF(t, device))
	request := c.challengeUAF(t, message)
	read, err := uaf.ParseAuthenticationRequest(request)
	if err != nil {
		t.Fatalf("authenticationRequest is not a UAF message: %v", err)
	}
	asked, err := uaf.NewTextTransaction(message)
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Transactions) != 1 || !slices.Equal(read.Transactions[0].Hash(), asked.Hash()) {
		t.Errorf("asked to show %q, shows %+v", message, read.Transactions)
	}
	response := answered(t, device.Authenticate, request)
	if err := c.confirm(t, c.User, response); err != nil {
		t.Fatalf("confirm: %v", err)
	}
	wantUAF(t, "a second time", c.confirm(t, c.User, response), fault.TransactionRefused, uaf.StatusRequestInvalid)
	response = answered(t, device.Authenticate, c.challengeUAF(t, message))
	wantUAF(t, "for another person", c.confirm(t, c.Other, response), fault.TransactionRefused, uaf.StatusRequestInvalid, uaf.StatusNotFound)
}

func refusedTransactions(t *T, c contract) {
	device := c.uafDevice(t)
	defer c.remove(t, c.registerUAF(t, device))
	for name, one := range tamperedResponses {
		response := tampered(t, device, one.how, device.Authenticate, c.challengeUAF(t, message))
		wantUAF(t, name, c.confirm(t, c.User, response), fault.TransactionRefused, one.fit...)
	}
	other, err := uaf.NewTextTransaction("Pay 1 EUR to Bob?")
	if err != nil {
		t.Fatal(err)
	}
	response := tampered(t, device, softuaf.Tamper{Signed: signing(uaf.TagTransactionContentHash, other.Hash())}, device.Authenticate, c.challengeUAF(t, message))
	wantUAF(t, "another text", c.confirm(t, c.User, response), fault.TransactionRefused, uaf.StatusUnacceptableContent)
	response = tampered(t, device, softuaf.Tamper{Signed: signing(uaf.TagTransactionContentHash, nil)}, device.Authenticate, c.challengeUAF(t, message))
	wantUAF(t, "no text", c.confirm(t, c.User, response), fault.TransactionRefused, uaf.StatusUnacceptableContent)

	response = answered(t, device.Authenticate, c.challengeUAF(t, ""))
	wantUAF(t, "what was signed for a sign-in", c.confirm(t, c.User, response), fault.TransactionRefused,
		uaf.StatusRequestInvalid, uaf.StatusUnacceptableContent)
	response = answered(t, device.Authenticate, c.challengeUAF(t, message))
	wantUAF(t, "a transaction, as a sign-in", c.loginUAF(t, c.User, response), fault.SignInRefused,
		uaf.StatusRequestInvalid, uaf.StatusUnacceptableContent)
}

func sideBySide(t *T, c contract) {
	passkey, key := c.device(), c.uafDevice(t)
	request, message := c.begin(t, c.User, platform.RegistrationRequestInput{}), c.beginUAF(t, c.User)
	response := answered(t, key.Register, message)
	if err := c.finish(t, c.User, request.RequestID, create(t, passkey, request.RegistrationRequest)); err != nil {
		t.Fatal(err)
	}
	defer c.remove(t, c.added(t, nil))
	before := c.list(t, c.User)
	if err := c.finishUAF(t, c.User, response); err != nil {
		t.Fatal(err)
	}
	defer c.remove(t, c.added(t, before))
	c.signInUAF(t, key)
	c.signIn(t, passkey)
	c.signInUAF(t, key)
}
