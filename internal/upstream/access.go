package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// access is what the service is shown, and which certificates we trust.
type access struct {
	authorization string
	header        http.Header
	secrets       []string
	transport     *http.Transport
	through       http.RoundTripper // the transport, or its tap
}

func newAccess(o Options) *access {
	a := &access{authorization: o.Authorization, header: o.Header.Clone(), secrets: credentialParts(o.Authorization), transport: newTransport(o)}
	a.through = a.transport
	if o.Tap != nil {
		a.through = o.Tap(a.transport)
	}
	return a
}

// Renew has calls that begin from now on use the credentials and the TLS settings of o, over
// new connections; those under way go on as they are. o is otherwise that of New. After an
// error nothing has changed.
func (c *Client) Renew(o Options) error {
	base, err := parseBase(o.BaseURL)
	if err != nil || base.String() != c.baseText || (o.OAuth != nil) != (c.tokens != nil) {
		return fmt.Errorf("upstream %s: %w", c.name, errors.New("another address or kind of credential"))
	}
	if err := checkCredentials(o, c.base); err != nil {
		return fmt.Errorf("upstream %s: %w", c.name, err)
	}
	o = withDefaults(o)
	old, renewed := c.access.Load(), newAccess(o)
	// What is under way may be answered with the credential of before.
	renewed.secrets = slices.Concat(renewed.secrets, credentialParts(old.authorization))
	c.access.Store(renewed)
	old.transport.CloseIdleConnections()
	if c.tokens != nil {
		c.tokens.replace(c.newTokenSource(o))
	}
	return nil
}
