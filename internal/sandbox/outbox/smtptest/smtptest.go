// Package smtptest is a mail server for tests.
package smtptest

import (
	"bufio"
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
			if refused > 0 {
				refused--
				converse(connection, "451 try again later")
				continue
			}
			taken <- converse(connection, "250 ok")
		}
	}()
	return listener.Addr().String(), taken
}

// converse answers a letter with verdict.
func converse(connection net.Conn, verdict string) string {
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
