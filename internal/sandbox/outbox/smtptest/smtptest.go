// Package smtptest is a mail server for tests.
package smtptest

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"testing"
)

// Serve starts a mail server on this machine, which ends with the test, and returns its
// host:port. Letters receives the input of each connection: its commands, and the letter
// between DATA and a dot.
func Serve(t testing.TB) (addr string, letters <-chan string) {
	t.Helper()
	return ServeAfter(t, 0)
}

// ServeAfter is Serve with a server that first fails: so many letters, which Letters does not
// receive, it refuses for a while.
func ServeAfter(t testing.TB, refused int) (addr string, letters <-chan string) {
	t.Helper()
	return serve(t, func(connection net.Conn) (string, bool) {
		if refused > 0 {
			refused--
			converse(connection, nil, "451 try again later")
			return "", false
		}
		return converse(connection, nil, "250 ok"), true
	})
}

// ServeStartTLS is Serve with a server that takes letters over TLS alone, which a client asks
// for by STARTTLS.
func ServeStartTLS(t testing.TB, config *tls.Config) (addr string, letters <-chan string) {
	t.Helper()
	return serve(t, func(connection net.Conn) (string, bool) { return converse(connection, config, "250 ok"), true })
}

// ServeTLS is Serve with a server that speaks TLS from a connection's first byte on.
func ServeTLS(t testing.TB, config *tls.Config) (addr string, letters <-chan string) {
	t.Helper()
	return serve(t, func(connection net.Conn) (string, bool) {
		return converse(tls.Server(connection, config), nil, "250 ok"), true
	})
}

// serve hands each connection to talk, which tells its input, and whether letters receives it.
func serve(t testing.TB, talk func(net.Conn) (string, bool)) (addr string, letters <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	taken := make(chan string, 10)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			if said, ok := talk(connection); ok {
				taken <- said
			}
		}
	}()
	return listener.Addr().String(), taken
}

// converse answers a letter with verdict. With secure it takes none before STARTTLS, and what
// was said before that is not in what it returns.
func converse(connection net.Conn, secure *tls.Config, verdict string) string {
	defer func() { _ = connection.Close() }()
	var letter strings.Builder
	inside := false
	_, _ = fmt.Fprint(connection, "220 test\r\n")
	lines := bufio.NewScanner(connection)
	for lines.Scan() {
		line := lines.Text()
		letter.WriteString(line + "\n")
		switch {
		case inside && line != ".":
		case line == "STARTTLS" && secure != nil:
			_, _ = fmt.Fprint(connection, "220 go on\r\n")
			connection, secure = tls.Server(connection, secure), nil
			lines = bufio.NewScanner(connection)
			letter.Reset()
		case secure != nil && strings.HasPrefix(line, "EHLO"):
			_, _ = fmt.Fprint(connection, "250-test\r\n250 STARTTLS\r\n")
		case secure != nil && line != "QUIT":
			_, _ = fmt.Fprint(connection, "530 STARTTLS first\r\n")
		case line == "DATA":
			inside = true
			_, _ = fmt.Fprint(connection, "354 go on\r\n")
		case line == "QUIT":
			_, _ = fmt.Fprint(connection, "221 bye\r\n")
			return letter.String()
		case inside:
			inside = false
			_, _ = fmt.Fprint(connection, verdict+"\r\n")
		default:
			_, _ = fmt.Fprint(connection, "250 ok\r\n")
		}
	}
	return letter.String()
}
