package sandbox_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"countersign/internal/authenticator"
)

// A FIDO server judges what binds. Optional members and results of extensions may hold
// anything, in the response and in the client data, which stays signed.
func TestOptionalMembers_NotJudged(t *testing.T) {
	p := start(t)
	for _, value := range []any{nil, "", "A+/A==", "unused", 1, true, []any{}, []any{1}, object{}, object{"appid": "yes"}} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		device := browser().With(authenticator.Tampering{
			ClientDataJSON: func(b []byte) []byte {
				return append(b[:len(b)-1], `,"tokenBinding":`+string(text)+`,"unknown":`+string(text)+`}`...)
			},
			Credential: func(c map[string]any) {
				c["authenticatorAttachment"], c["clientExtensionResults"], c["unknown"] = value, value, value
				response := c["response"].(map[string]any)
				if _, created := response["attestationObject"]; created {
					response["publicKey"], response["publicKeyAlgorithm"], response["transports"], response["authenticatorData"] = value, value, value, value
				} else if _, isText := value.(string); !isText { // a text may name another person
					response["userHandle"] = value
				}
			},
		})
		p.register("alice@sandbox", device, nil)
		requestID, response := p.get("alice@sandbox", device, nil)
		if a := p.signIn("alice@sandbox", requestID, response); a.status != http.StatusOK {
			t.Errorf("a sign-in with %s: %d %s", text, a.status, a.text)
		}
	}
}
