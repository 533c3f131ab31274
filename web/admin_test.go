package web

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A listener on a loopback address answers requests that name this machine, in whichever form, and a
// health check that names nobody; any other name may be a page's own.
func TestLoopbackListener_HostNames(t *testing.T) {
	server := httptest.NewServer(loopbackNames(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") })))
	defer server.Close()
	for request, want := range map[string]int{
		"GET /readyz HTTP/1.0\r\n": 200, "HEAD /readyz HTTP/1.0\r\n": 200, "OPTIONS / HTTP/1.0\r\n": 200, "GET /readyz HTTP/1.0\r\nHost:\r\n": 200, "GET /readyz HTTP/1.1\r\nHost:\r\n": 200,
		"GET /readyz HTTP/1.0\r\nHost: other.example\r\n": 421, "GET http://other.example/readyz HTTP/1.0\r\n": 421, "GET /readyz HTTP/1.1\r\n": 400,
	} {
		if got := answered(t, server, request); got != want {
			t.Errorf("%q: %d, want %d", request, got, want)
		}
	}
	for host, want := range map[string]int{
		"localhost": 200, "localhost:9090": 200, "LOCALHOST": 200, "Localhost.:9090": 200, "127.0.0.1": 200, "127.8.8.8:1": 200, "[::1]:9090": 200, "[::1]": 200, "[::ffff:127.0.0.1]:1": 200,
		"other.example": 421, "localhost.other.example": 421, "127.0.0.1.other.example:9090": 421, "0.0.0.0": 421, "192.0.2.1": 421, "[::]:1": 421, "xlocalhost": 421,
	} {
		if got := answered(t, server, "GET /readyz HTTP/1.1\r\nHost: "+host+"\r\n"); got != want {
			t.Errorf("%q: %d, want %d", host, got, want)
		}
	}
}

// answered returns the status of the answer to a request that is written as it is.
func answered(t *testing.T, server *httptest.Server, request string) int {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%sConnection: close\r\n\r\n", request)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
