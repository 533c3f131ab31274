package upstream

import (
	"context"
	"net"
)

// DialBy has the client connect by dial.
func (c *Client) DialBy(dial func() net.Conn) {
	c.access.Load().transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return newConnection(dial(), false), nil }
}
