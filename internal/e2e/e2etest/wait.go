package e2etest

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Back signs in with the demo password as soon as that is possible.
func (c *Client) Back(user string) *Client {
	c.T.Helper()
	Eventually(c.T, user+" can sign in", func() bool {
		r := c.Send("POST", "/users/"+user+"/login", RightPassword)
		if r.Status == http.StatusOK {
			c.Carry(r)
		}
		return r.Status == http.StatusOK
	})
	return c
}

// WhenBack returns the answer to GET /session once sessions can be read.
func (c *Client) WhenBack() (r Reply) {
	c.T.Helper()
	Eventually(c.T, "sessions can be read", func() bool {
		r = c.Send("GET", "/session", nil)
		return r.Status != http.StatusServiceUnavailable
	})
	return r
}

// patience limits every wait of a test, on a slow and busy machine.
const patience = time.Minute

// Eventually waits until ok returns true, and stops the test after patience.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not within %v", what, patience)
		case <-tick.C:
		}
	}
}

// Has reports whether needle is in haystack.
func Has(haystack []byte, needle string) bool { return strings.Contains(string(haystack), needle) }
