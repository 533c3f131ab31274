package platform_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

// For a client that has not proved its identity, all states of an account, with any
// status, get the same row.
func TestState_HiddenBeforeSignIn(t *testing.T) {
	calls := map[string]func(*identityapi.Client) error{
		"sign-in.refused": func(c *identityapi.Client) error {
			_, err := c.Login(context.Background(), alice, identityapi.LoginInput{})
			return err
		},
		"platform.refused": func(c *identityapi.Client) error {
			_, err := c.GenerateFIDOAuthenticationRequest(context.Background(), alice, identityapi.AuthenticationRequestInput{FIDOProtocol: identityapi.UAF11})
			return err
		},
		"activation.refused": func(c *identityapi.Client) error {
			_, err := c.RegisterUser(context.Background(), identityapi.RegisterUserInput{UserID: "alice"})
			return err
		},
		"activation.refused ": func(c *identityapi.Client) error {
			_, err := c.OrchestrationCommands(context.Background(), identityapi.OrchestrationCommand{Command: "00"})
			return err
		},
	}
	for want, call := range calls {
		for _, message := range []string{"User is locked", "User is disabled", "User account not found"} {
			for _, status := range []int{400, 403, 404, 409, 410, 500} {
				c, _ := says(t, status, `{"message":`+asJSON(message)+`}`)
				err := call(c)
				told := fault.Disclose(err, fault.Anonymous)
				if string(told.Key) != strings.TrimSpace(want) {
					t.Errorf("%d %s: told as %s, want %s", status, message, told.Key, want)
				}
				if !strings.Contains(err.Error(), string(fault.From(err).Specific)) || fault.From(err).Specific == "" {
					t.Errorf("%d %s: logged as %v", status, message, err)
				}
			}
		}
	}
}

// A refused sign-in gives no reason: not for an account that does not exist, nor for a
// push to it that could not be sent.
func TestLogin_RefusalWithoutReason(t *testing.T) {
	for message, refusal := range map[string]bool{
		"Unable to send remote authentication.": false, "Gateway exited with error": false, "User refused": false,
		// The specification does not name these for a login.
		"Invalid Request ID": true, "Static password has expired": true, "No authenticators available": true,
	} {
		for _, status := range []int{400, 404, 409, 410, 403, 500, 502} {
			if refusal && (status == 403 || status >= 500) {
				continue
			}
			c, _ := says(t, status, `{"message":`+asJSON(message)+`}`)
			_, err := c.Login(t.Context(), alice, identityapi.LoginInput{})
			if f := fault.From(err); f.Key != fault.SignInRefused || f.Specific == "" {
				t.Errorf("%d %s: %v", status, message, err)
			}
		}
	}
}

// For a client that activates a device, an unknown user and a locked one look the same,
// in both releases.
func TestActivation_UnknownAndLockedAlike(t *testing.T) {
	for _, release := range []fault.Release{fault.R3, fault.R4} {
		told := map[string]bool{}
		for _, body := range []string{
			`{"message":"Unable to find registration code in Shared Cache"}`, `{"errorCode":-8000,"message":"Unknown orchestration error"}`,
			`{"errorCode":-8006}`, `{"errorCategory":"user","errorCode":-1100,"message":"m"}`, `{"errorCategory":"authenticator"}`,
			`{"message":"User is locked"}`, `{"message":"User is disabled"}`, `{"message":"User account not found"}`, `{"message":"Authentication failed"}`,
			`{"message":"Invalid Request ID"}`, `{"message":"Unable to find an element during register notification."}`,
			`{"message":"An unknown error has occurred."}`, `{"message":"No authenticators available"}`,
		} {
			for _, status := range []int{400, 404, 409, 500} {
				c := ofRelease(t, release, status, body)
				_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
				disclosed := fault.Disclose(err, fault.Anonymous)
				told[fmt.Sprint(disclosed.Row(), disclosed.RetrySeconds())] = true
			}
		}
		if len(told) != 1 {
			t.Errorf("%s: %v", release, told)
		}
	}
}
