package upstream_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/upstream"
)

// An answer that is served to another person than it was written for names the wrong one.
type named struct {
	Name string `json:"name"`
}

// written returns an answer that names the person, with more headers.
func written(name, headers string) string {
	body := fmt.Sprintf(`{"name":%q}`, name)
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", headers, len(body), body)
}

// late says that an attack may come when the next request has been sent, which is seen by the
// name alone.
const late = "a second answer in a record of its own"

// attacks are what a hostile platform does with a request, which it has read, for the person of
// that name. They return false where the connection ends.
var attacks = map[string]func(conn net.Conn, name string) bool{
	"as it should": func(conn net.Conn, name string) bool { return send(conn, written(name, "")) },
	"extra bytes":  func(conn net.Conn, name string) bool { return send(conn, written(name, "")+"HTTP/1.1 200 OK\r\n") },
	"a second answer behind the first": func(conn net.Conn, name string) bool {
		return send(conn, written(name, "")+written("other", ""))
	},
	"a second answer behind one without a body": func(conn net.Conn, _ string) bool {
		return send(conn, "HTTP/1.1 204 No Content\r\n\r\n"+written("other", ""))
	},
	"a second answer behind a chunked one": func(conn net.Conn, name string) bool {
		body := fmt.Sprintf(`{"name":%q}`, name)
		return send(conn, fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n%s", len(body), body, written("other", "")))
	},
	late: func(conn net.Conn, name string) bool {
		return send(conn, written(name, "")) && send(conn, written("other", ""))
	},
	"many answers": func(conn net.Conn, name string) bool {
		return send(conn, written(name, "")+strings.Repeat(written("other", ""), 5))
	},
	"cut half way": func(conn net.Conn, name string) bool {
		text := written(name, "")
		send(conn, text[:len(text)-5])
		return false
	},
	"cut within the header": func(conn net.Conn, name string) bool { send(conn, "HTTP/1.1 200 OK\r\nContent-Le"); return false },
	"closed after the answer": func(conn net.Conn, name string) bool {
		send(conn, written(name, ""))
		return false
	},
}

func send(conn net.Conn, text string) bool {
	_, err := io.WriteString(conn, text)
	return err == nil
}

// hostile serves, on each connection, the requests with attack.
func hostile(t *testing.T, secure bool, attack func(net.Conn, string) bool) (string, upstream.Options) {
	handle := func(_ int32, conn net.Conn, requests *bufio.Reader) {
		for {
			r, err := http.ReadRequest(requests)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil || !attack(conn, strings.TrimPrefix(r.URL.Path, "/users/")) {
				return
			}
		}
	}
	if !secure {
		return raw(t, handle), upstream.Options{}
	}
	servers := newAuthority(t)
	pair, err := tls.X509KeyPair(servers.issue(t, "platform"))
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	url := raw(t, func(n int32, conn net.Conn, _ *bufio.Reader) {
		c := tls.Server(conn, config)
		handle(n, c, bufio.NewReader(c))
		c.Close()
	})
	return strings.Replace(url, "http:", "https:", 1), upstream.Options{TLS: clientTLS(t, nil, nil, servers.pem)}
}

// Whatever a platform writes, nobody gets an answer that it wrote to another person's request.
func TestConnection_HostilePlatformMixesNoResponses(t *testing.T) {
	for name, attack := range attacks {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, TLS %v", name, secure), func(t *testing.T) {
				url, options := hostile(t, secure, attack)
				options.OutagesToOpen = 1 << 30
				c := client(t, url, options)
				var all sync.WaitGroup
				for worker := range 4 {
					all.Go(func() {
						for i := range 12 {
							asUser(t, c, fmt.Sprintf("u%d-%d", worker, i), i, name == late)
						}
					})
				}
				all.Wait()
			})
		}
	}
}

// asUser makes a call for the person of that name, by one of the kinds of calls. Every fifth is
// given up meanwhile. It is checked whom the answer names if the platform may be late.
func asUser(t *testing.T, c *upstream.Client, user string, i int, checked bool) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if i%5 == 4 {
		go cancel()
	}
	var check func([]byte) error
	if checked {
		check = func(body []byte) error {
			var got named
			if err := json.Unmarshal(body, &got); err != nil || got.Name != user {
				return errors.New("it names another user")
			}
			return nil
		}
	}
	body, err := called(t, ctx, c, i%3, upstream.Call{Operation: "get", Method: "GET", Path: "/users/" + user, Check: check})
	if err != nil || len(body) == 0 {
		return
	}
	var got named
	if err := json.Unmarshal(body, &got); err != nil || got.Name != user {
		t.Errorf("%s got %q, %v", user, body, err)
	}
}

// called makes a call in one of three ways.
func called(t *testing.T, ctx context.Context, c *upstream.Client, way int, call upstream.Call) ([]byte, error) {
	switch way {
	case 0:
		return c.Body(ctx, call)
	case 1:
		call.Method, call.Body = "POST", map[string]int{}
		return c.Body(ctx, call)
	}
	response, err := c.Relay("relay", request(t, ctx, c.At(call.Path), strings.NewReader("{}")))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return upstream.ReadAll(response, 1<<10, call.Check)
}
