package e2etest

import (
	"encoding/hex"
	"encoding/json"
)

// AskFor requests an activation password of user.
func (c *Client) AskFor(user string) Reply {
	return c.Send("POST", "/users/register", map[string]string{"userID": user})
}

// Activate activates a device of type device with an activation password.
func (c *Client) Activate(user, password, device string) Reply {
	return c.Command(map[string]string{"command": "activate", "userID": user, "activationPassword": password, "deviceType": device})
}

// Command sends a command of the orchestration SDK.
func (c *Client) Command(said map[string]string) Reply {
	c.T.Helper()
	text, err := json.Marshal(said)
	if err != nil {
		c.T.Fatal(err)
	}
	return c.Send("POST", "/orchestration-commands", map[string]string{"command": hex.EncodeToString(text)})
}

// Action checks the next step that a problem names.
func (r Reply) Action(want string) Reply {
	r.T.Helper()
	if got := r.Text("action"); got != want {
		r.T.Errorf("%s: action %q, want %q", r.What, got, want)
	}
	return r
}
