package audit_test

import (
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/sandbox/outbox/smtptest"
)

func TestALetterIsSentBySMTP(t *testing.T) {
	addr, letters := smtptest.Serve(t)
	mailer, err := audit.NewMailer(audit.MailerOptions{Addr: addr, From: "Acme Wärme <no-reply@sign.example>"})
	if err != nil {
		t.Fatal(err)
	}
	if err := mailer.Send(t.Context(), audit.Letter{To: "no address"}); err == nil {
		t.Error("a letter to nobody was sent")
	}
	if err := mailer.Send(t.Context(), audit.Letter{To: "ada@sandbox", Subject: "Neuer Passkey", Text: "Guten Tag"}); err != nil {
		t.Fatal(err)
	}
	got := <-letters
	for _, part := range []string{"EHLO sign.example\n", "@sign.example>\n", `From: =?utf-8?q?Acme_W=C3=A4rme?= <no-reply@sign.example>`, "MAIL FROM:<no-reply@sign.example>", "RCPT TO:<ada@sandbox>", "Subject: Neuer Passkey", "Auto-Submitted: auto-generated", "Guten Tag"} {
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

// The log learns why a letter was not sent, and not whom it was for.
func TestAFailedLetterNamesNobody(t *testing.T) {
	addr, _ := smtptest.ServeAfter(t, 2)
	mailer, err := audit.NewMailer(audit.MailerOptions{Addr: addr, From: "no-reply@sign.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"ada@acme.example", "Ada.Lovelace+x@Acme.example", "no address of ada@acme.example"} {
		err := mailer.Send(t.Context(), audit.Letter{To: to, Subject: "S", Text: "T"})
		if err == nil || strings.Contains(strings.ToLower(err.Error()), "acme") || strings.Contains(err.Error(), "@") {
			t.Errorf("%s: %v", to, err)
		}
	}
}
