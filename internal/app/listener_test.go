package app_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"countersign/internal/app"
)

// After a request whose end others may see elsewhere, nothing on the connection is a request.
func TestFraming_ConnectionCloses(t *testing.T) {
	const chunks, length, next = "5\r\nhello\r\n0\r\n\r\n", "Content-Length: 5\r\n", "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, c := range map[string]struct {
		request string
		paths   string // that are served
	}{
		"length before chunked":         {"POST /first HTTP/1.1\r\nHost: x\r\n" + length + "Transfer-Encoding: chunked\r\n\r\n" + chunks, "/first hello"},
		"chunked before length":         {"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" + length + "\r\n" + chunks, "/first hello"},
		"in other letters":              {"POST /first HTTP/1.1\r\nHost: x\r\n" + length + "transfer-encoding: Chunked\r\n\r\n" + chunks, "/first hello"},
		"chunked and no length":         {"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, "/first hello"},
		"a length that hides a request": {"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "/first"},
		"chunked twice":                 {"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, ""},
		"chunked twice in one":          {"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n" + chunks, ""},
		"another coding":                {"POST /first HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n" + chunks, ""},
		"two lengths":                   {"POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", ""},
		"HTTP/1.0 with chunked":         {"POST /first HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n" + length + "Transfer-Encoding: chunked\r\n\r\nhello", "/first hello"},
		"HTTP/1.0 with chunked alone":   {"POST /first HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n", "/first"},
		"one length":                    {"POST /first HTTP/1.1\r\nHost: x\r\n" + length + "\r\nhello", "/first hello,/next,/next"},
		"the same length twice":         {"POST /first HTTP/1.1\r\nHost: x\r\n" + length + length + "\r\nhello", "/first hello,/next,/next"},
	} {
		t.Run(name, func(t *testing.T) {
			served := make(chan string, 5)
			address := app.Listen(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				served <- strings.TrimSpace(r.URL.Path + " " + string(body))
			}))
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, c.request+next+strings.Replace(next, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1)); err != nil {
				t.Fatal(err)
			}
			answers := bufio.NewReader(conn)
			n := 0
			for ; ; n++ {
				response, err := http.ReadResponse(answers, nil)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			close(served)
			var paths []string
			for path := range served {
				paths = append(paths, path)
			}
			if got := strings.Join(paths, ","); got != c.paths || n != max(1, len(paths)) {
				t.Errorf("%d answers, served %q, want %q", n, got, c.paths)
			}
		})
	}
}

// The sandbox tells an address that it answers to, also where it listens at all of them.
func TestSandbox_Address(t *testing.T) {
	for listening, want := range map[string]string{
		"127.0.0.1:8081": "http://127.0.0.1:8081", "[::1]:8081": "http://[::1]:8081", "192.0.2.1:8081": "http://192.0.2.1:8081",
		"0.0.0.0:8081": "http://127.0.0.1:8081", "[::]:8081": "http://127.0.0.1:8081",
	} {
		if got := app.FromHere(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(listening))); got != want {
			t.Errorf("listening at %s it is at %s, want %s", listening, got, want)
		}
	}
}
