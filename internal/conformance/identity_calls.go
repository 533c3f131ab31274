package conformance

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/upstream"
)

// wantStatus adds a finding unless err says that the platform answered with status.
func wantStatus(t *T, what string, err error, status int) {
	if said, ok := errors.AsType[*upstream.Error](err); !ok || said.Status != status {
		t.Errorf("%s: %v, want a %d", what, err, status)
	}
}

// ask makes a call that the client itself would not make, and returns the body of its answer.
func (c contract) ask(t *T, method, operation, query string, values map[string]string, body any) (jsontext.Value, error) {
	path := c.options.Paths[operation]
	for _, one := range platform.Paths() {
		if path == "" && one.Operation == operation {
			path = one.Default
		}
	}
	filled, _ := upstream.Fill(path, values)
	if query != "" {
		filled += map[bool]string{true: "&", false: "?"}[strings.Contains(filled, "?")] + query
	}
	var out jsontext.Value
	err := c.options.Upstream.JSON(t.Context(), upstream.Call{Operation: operation, Method: method, Path: filled, Body: body}, &out)
	return out, err
}

// attachmentDefault asks which passkeys a request without a choice is for: the documents'
// default is those of the device itself.
func attachmentDefault(t *T, c contract) {
	options := creationOptionsOf(t, c.begin(t, c.User, platform.RegistrationRequestInput{}))
	if got := options.AuthenticatorSelection.AuthenticatorAttachment; got != "platform" {
		t.Errorf("a request without authenticatorAttachment is for %q, not for platform", got)
	}
}

// addressFamilies asks whether addresses of IPv6 are refused, as the documents have it:
// Countersign leaves them out.
func addressFamilies(t *T, c contract) {
	login := func(address string) error {
		_, err := c.ask(t, http.MethodPost, "login", "", map[string]string{"user": c.User}, map[string]any{
			"objectType": "LoginInput", "timeout": 0, "clientIP": address, "credentials": map[string]string{"passKey": c.Password},
		})
		return err
	}
	if err := login("192.0.2.1"); err != nil {
		t.Errorf("a login from an address of IPv4: %v", err)
	}
	wantStatus(t, "a login from an address of IPv6", login("2001:db8::1"), http.StatusBadRequest)
}

// listOfOne looks into the list of one person for the authenticator of another: Countersign
// drops it there.
func listOfOne(t *T, c contract) {
	made := c.register(t, c.device(), platform.RegistrationRequestInput{})
	defer c.remove(t, made)
	name, domain, _ := strings.Cut(c.Other, "@")
	list, err := c.ask(t, http.MethodGet, "listFidoRegistrations", "offset=0&limit=100", map[string]string{
		"user": c.Other, "userID": name, "domain": domain, "type": "",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(list), made.ID) {
		t.Errorf("the list of %s has an authenticator of %s: the parameters of PLATFORM_PATHS do not select", c.Other, c.User)
	}
}

// transactionPending pushes a transaction, and another without a word for how people protect
// their answer.
func transactionPending(t *T, c contract) {
	c.wantStatus(t, c.pushTransaction(t), platform.StatusPending)
	_, err := c.client.ValidateTransaction(t.Context(), c.User, platform.TransactionInput{Data: platform.TransactionData{
		TransactionMessage: jsontext.Value(`{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"100 EUR"}}]}`),
	}})
	wantKey(t, "without authentMethod", err, fault.TransactionRefused)
	wantStatus(t, "without authentMethod", err, http.StatusBadRequest)
}

// endedAccount reads an account that has expired, which may be answered like any other.
func endedAccount(t *T, c contract) {
	user, err := c.client.User(t.Context(), c.Ended)
	if err != nil || user.State() != platform.Expired {
		t.Errorf("getUser of %s: %s, %v, want it expired", c.Ended, user.State(), err)
	}
	wantKey(t, "a login of "+c.Ended, failure(c.client.Login(t.Context(), c.Ended, byPassword(c.Password))), fault.SignInRefused)
}
