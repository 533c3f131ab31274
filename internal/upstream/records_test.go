package upstream_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/upstream"
)

// parted sends the first bytes of one write, and its rest when it is told to.
type parted struct {
	net.Conn
	mu    sync.Mutex
	first int // bytes of the next write; 0 sends it whole
	rest  []byte
}

func (c *parted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == 0 {
		return c.Conn.Write(p)
	}
	n, err := c.Conn.Write(p[:c.first])
	c.rest, c.first = append([]byte(nil), p[n:]...), 0
	return len(p), err
}

// part has the next write sent in part; complete sends its rest.
func (c *parted) part(first int) { c.mu.Lock(); defer c.mu.Unlock(); c.first = first }

func (c *parted) complete() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.Conn.Write(c.rest)
	c.rest = nil
}

// Behind an answer a part of a record of TLS has come when the next request is made, and its rest
// comes later: another person's answer is in it.
func TestConnection_PartialTLSRecordAfterResponse(t *testing.T) {
	for _, first := range []int{1, 3, 5, 6, 50} {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			servers := newAuthority(t)
			pair, err := tls.X509KeyPair(servers.issue(t, "platform"))
			if err != nil {
				t.Fatal(err)
			}
			came := make(chan struct{})
			address := raw(t, func(_ int32, conn net.Conn, _ *bufio.Reader) {
				split := &parted{Conn: conn}
				c := tls.Server(split, &tls.Config{Certificates: []tls.Certificate{pair}})
				defer c.Close()
				for requests := bufio.NewReader(c); ; {
					r, err := http.ReadRequest(requests)
					if err != nil {
						return
					}
					split.complete()
					name := strings.TrimPrefix(r.URL.Path, "/users/")
					if !send(c, written(name, "")) {
						return
					}
					if name == "alice" {
						split.part(first)
						send(c, written("other", ""))
						close(came)
					}
				}
			})
			c := client(t, strings.Replace(address, "http:", "https:", 1), upstream.Options{TLS: clientTLS(t, nil, nil, servers.pem)})
			for _, who := range []string{"alice", "bob", "carol"} {
				var got named
				err := c.JSON(t.Context(), upstream.Call{Operation: "get", Method: "GET", Path: "/users/" + who}, &got)
				if err != nil || got.Name != who {
					t.Errorf("%s got %+v, %v", who, got, err)
				}
				<-came
			}
		})
	}
}
