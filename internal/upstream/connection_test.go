package upstream_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// raw starts a platform that handles each connection by itself, and returns its address.
// It tells handle which connection it is, from 1 on.
func raw(t *testing.T, handle func(n int32, conn net.Conn, requests *bufio.Reader)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var n atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				handle(n.Add(1), conn, bufio.NewReader(conn))
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// answer reads a request and writes text as the response's body, after before.
func answer(conn net.Conn, requests *bufio.Reader, before, text string) bool {
	r, err := http.ReadRequest(requests)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, r.Body)
	_, err = fmt.Fprintf(conn, "%sHTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", before, len(text), text)
	return err == nil
}

// A platform that hangs up after each answer, at once or when the next request comes,
// loses no call that may be sent again.
func TestConnection_ClosedByPlatform(t *testing.T) {
	closed := make(chan struct{})
	hangsUp := raw(t, func(_ int32, conn net.Conn, requests *bufio.Reader) {
		answer(conn, requests, "", "1")
		conn.Close()
		closed <- struct{}{}
	})
	readsFirst := raw(t, func(_ int32, conn net.Conn, requests *bufio.Reader) {
		answer(conn, requests, "", "1")
		_, _ = http.ReadRequest(requests)
		conn.Close()
	})
	for url, call := range map[string]upstream.Call{hangsUp: post, readsFirst: {Operation: "get", Method: "GET", Path: "/x"}} {
		c := client(t, url, upstream.Options{OutagesToOpen: 1})
		for range 200 {
			if err := c.JSON(t.Context(), call, nil); err != nil {
				t.Errorf("%s: %v", call.Method, err)
			}
			if url == hangsUp {
				<-closed
			}
		}
	}
}

// Responses of 1xx before a response are passed over, while they fit into the limit of a header.
func TestConnection_InformationalResponsesSkipped(t *testing.T) {
	const early = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
	for n, fine := range map[int]bool{0: true, 2: true, 5: true, 10_000: false} {
		c := client(t, raw(t, func(_ int32, conn net.Conn, requests *bufio.Reader) {
			answer(conn, requests, strings.Repeat(early, n), "1")
		}), upstream.Options{})
		if err := c.JSON(t.Context(), post, nil); (err == nil) != fine {
			t.Errorf("%d before the response: %v", n, err)
		}
	}
}

// Another protocol is none of ours: its bytes are not waited for.
func TestConnection_SwitchingProtocolsRefused(t *testing.T) {
	c := client(t, raw(t, func(_ int32, conn net.Conn, requests *bufio.Reader) {
		if _, err := http.ReadRequest(requests); err == nil {
			fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			_, _ = requests.ReadByte()
		}
	}), upstream.Options{Timeout: time.Hour})
	if err := c.JSON(t.Context(), post, nil); !fault.Is(err, fault.PlatformUnavailable) {
		t.Errorf("a call: %v", err)
	}
	if _, err := c.Relay("relay", request(t, t.Context(), c.At("/x"), nil)); !fault.Is(err, fault.PlatformUnavailable) {
		t.Errorf("a relay: %v", err)
	}
}

// What is asked once is not sent again where the connection ends without an answer, but it is
// where nothing of it was sent.
func TestConnection_UnsafeRequestSentOnce(t *testing.T) {
	call := upstream.Call{Operation: "get", Method: "GET", Path: "/x", Once: true}
	var requests atomic.Int32
	c := client(t, raw(t, func(_ int32, conn net.Conn, from *bufio.Reader) {
		for {
			if _, err := http.ReadRequest(from); err != nil {
				return
			}
			if requests.Add(1)%2 == 0 {
				return
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
		}
	}), upstream.Options{})
	for i := range 4 {
		if err := c.JSON(t.Context(), call, nil); (err == nil) != (i%2 == 0) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if n := requests.Load(); n != 4 {
		t.Errorf("four calls made %d requests", n)
	}
}

// Over TLS the protocol is what the platform chooses; one connection serves calls that
// follow each other.
func TestConnection_HTTP1OverTLS(t *testing.T) {
	servers := newAuthority(t)
	pair, err := tls.X509KeyPair(servers.issue(t, "platform"))
	if err != nil {
		t.Fatal(err)
	}
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `"`+r.Proto+`"`) }))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	c := client(t, server.URL, upstream.Options{TLS: clientTLS(t, nil, nil, servers.pem)})
	for range 3 {
		var protocol string
		if err := c.JSON(t.Context(), post, &protocol); err != nil || protocol != "HTTP/1.1" {
			t.Errorf("%q, %v", protocol, err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("three calls made %d connections", n)
	}
}
