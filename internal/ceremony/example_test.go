package ceremony_test

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
)

// A registration begins with the platform's request and ends with the client's response. A second
// response finds nothing.
func Example() {
	rp := ceremony.RelyingParty{
		ID: "login.example.org", Origins: []string{"https://login.example.org"}, MaxAge: 5 * time.Minute,
		Now: func() time.Time { return now },
	}
	request, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, `{
		"rp": {"id": "login.example.org", "name": "Example"}, "user": {"id": "YWxpY2U", "name": "alice", "displayName": "Alice"},
		"challenge": "MDEyMzQ1Njc4OWFiY2RlZg", "pubKeyCredParams": [{"type": "public-key", "alg": -7}]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	kept := rp.Begin(ceremony.Pending{Kind: ceremony.Registration, User: "alice@example"}, request)

	text, err := authenticator.NewFIDO2(authenticator.Options{Origin: "https://login.example.org"}).Create(request.Text)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, text)
	if err != nil {
		fmt.Println(err)
		return
	}
	spend := func(_ context.Context, p *ceremony.Pending) error {
		if kept == nil {
			return p.NotFound(true)
		}
		*p, kept = *kept, nil
		return nil
	}
	ready := func(context.Context) error { return nil }
	for range 2 {
		done, err := rp.Finish(context.Background(), response, ceremony.ClientClaims{Kind: ceremony.Registration, Protocol: ceremony.FIDO2, User: "alice@example"}, ready, spend)
		if err != nil {
			fmt.Println("refused:", err)
			return
		}
		fmt.Println("registered for", done.User)
	}
	// Output:
	// registered for alice@example
	// refused: ceremony.spent
}
