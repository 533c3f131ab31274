package audit_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"countersign/internal/audit"
)

// mailbox is a mail server that takes one letter.
func mailbox(t *testing.T) (addr string, letter <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	taken := make(chan string, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		taken <- converse(connection)
	}()
	return listener.Addr().String(), taken
}

func converse(connection net.Conn) string {
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
		default:
			inside = false
			_, _ = fmt.Fprint(connection, "250 ok\r\n")
		}
	}
	return letter.String()
}

func TestALetterIsSentBySMTP(t *testing.T) {
	addr, letter := mailbox(t)
	mailer, err := audit.NewMailer(audit.MailerOptions{Addr: addr, From: "no-reply@sign.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := mailer.Send(t.Context(), audit.Letter{To: "no address"}); err == nil {
		t.Error("a letter to nobody was sent")
	}
	if err := mailer.Send(t.Context(), audit.Letter{To: "ada@sandbox", Subject: "Neuer Passkey", Text: "Guten Tag"}); err != nil {
		t.Fatal(err)
	}
	got := <-letter
	for _, part := range []string{"MAIL FROM:<no-reply@sign.example>", "RCPT TO:<ada@sandbox>", "Subject: Neuer Passkey", "Auto-Submitted: auto-generated", "Guten Tag"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	for _, o := range []audit.MailerOptions{{Addr: "nowhere", From: "a@b.example"}, {Addr: addr, From: "nobody"}} {
		if _, err := audit.NewMailer(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
