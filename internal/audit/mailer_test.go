package audit_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/sandbox/outbox/smtptest"
)

func TestMailer_SendsBySMTP(t *testing.T) {
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
func TestMailer_FailureNamesNobody(t *testing.T) {
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

// A server with a certificate of an authority of its own is believed once that authority is
// named, and it alone: no letter and no password goes to another, or in the clear.
func TestMailer_ServerCertificate(t *testing.T) {
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	defer certified.Close()
	own, right := &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12}, x509.NewCertPool()
	right.AddCert(certified.Certificate())
	old := own.Clone()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	for _, tt := range []struct {
		name     string
		serve    func(testing.TB, *tls.Config) (string, <-chan string)
		tls      *tls.Config
		implicit bool
		ca       *x509.CertPool
		host     string
		cause    string // "" if the letter is sent
	}{
		{"STARTTLS", smtptest.ServeStartTLS, own, false, right, "127.0.0.1", ""},
		{"TLS at once", smtptest.ServeTLS, own, true, right, "127.0.0.1", ""},
		{"STARTTLS, another authority", smtptest.ServeStartTLS, own, false, x509.NewCertPool(), "127.0.0.1", "certificate signed by unknown authority"},
		{"TLS at once, another authority", smtptest.ServeTLS, own, true, x509.NewCertPool(), "127.0.0.1", "certificate signed by unknown authority"},
		{"STARTTLS, the system's authorities", smtptest.ServeStartTLS, own, false, nil, "127.0.0.1", "certificate signed by unknown authority"},
		{"TLS at once, the system's authorities", smtptest.ServeTLS, own, true, nil, "127.0.0.1", "certificate signed by unknown authority"},
		{"STARTTLS, another name", smtptest.ServeStartTLS, own, false, right, "localhost", "not localhost"},
		{"TLS at once, another name", smtptest.ServeTLS, own, true, right, "localhost", "not localhost"},
		{"STARTTLS, an old version", smtptest.ServeStartTLS, old, false, right, "127.0.0.1", "protocol version not supported"},
		{"in the clear", func(t testing.TB, _ *tls.Config) (string, <-chan string) { t.Helper(); return smtptest.Serve(t) }, nil, false, right, "127.0.0.1", "does not support STARTTLS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, letters := tt.serve(t, tt.tls)
			addr = strings.Replace(addr, "127.0.0.1", tt.host, 1)
			mailer, err := audit.NewMailer(audit.MailerOptions{Addr: addr, From: "no-reply@sign.example", CA: tt.ca, Implicit: tt.implicit})
			if err != nil {
				t.Fatal(err)
			}
			err = mailer.Send(t.Context(), audit.Letter{To: "ada@sandbox", Subject: "S", Text: "Guten Tag"})
			if tt.cause == "" && err != nil || tt.cause != "" && (err == nil || !strings.Contains(err.Error(), tt.cause)) {
				t.Fatalf("%v, want %q", err, tt.cause)
			}
			if tt.cause == "" && !strings.Contains(<-letters, "Guten Tag") {
				t.Error("the server has another letter")
			}
		})
	}
}
