package outbox_test

import (
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/outbox/smtptest"
)

func TestOutbox_Bounded(t *testing.T) {
	var o outbox.Outbox
	for i := range 10_001 {
		o.Send(outbox.Message{Subject: strconv.Itoa(i)})
	}
	list := o.List()
	if len(list) != 10_000 || list[0].Subject != "1" || list[0].Links == nil {
		t.Errorf("%d messages from %+v", len(list), list[0])
	}
	o.Reset()
	if list := o.List(); list == nil || len(list) != 0 {
		t.Errorf("after the reset %v", list)
	}
}

func TestOutbox_FindsLinks(t *testing.T) {
	for text, want := range map[string][]string{
		"none": {}, "See https://a.example/b?c=d#e.": {"https://a.example/b?c=d#e"}, "(http://a.example), <https://b.example/x>": {"http://a.example", "https://b.example/x"},
		"javascript:alert(1) ftp://a.example": {},
	} {
		var o outbox.Outbox
		o.Send(outbox.Message{Text: text})
		if got := o.List()[0].Links; got == nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMailer_Delivers(t *testing.T) {
	addr, letters := smtptest.Serve(t)
	mailer, err := outbox.NewMailer(addr, "sandbox@sandbox.example", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := outbox.Outbox{Deliver: mailer.Deliver}
	o.Send(
		outbox.Message{Kind: outbox.SMS, To: "+431234567", Text: "an SMS"},
		outbox.Message{Kind: outbox.Email, To: "no address", Subject: "lost"},
		outbox.Message{Kind: outbox.Email, To: "ada@example.org", Subject: "Bitte unterschreiben: Büro", Text: "Guten Tag"},
	)
	letter := <-letters
	for _, part := range []string{"MAIL FROM:<sandbox@sandbox.example>", "RCPT TO:<ada@example.org>", "Subject: =?UTF-8?q?Bitte_unterschreiben:_B=C3=BCro?=", "Guten Tag"} {
		if !strings.Contains(letter, part) {
			t.Errorf("no %s in %s", part, letter)
		}
	}
	mailer.Close()
	if _, err := outbox.NewMailer("nowhere", "a@example.org", slog.New(slog.DiscardHandler)); err == nil {
		t.Error("an address without a port is taken")
	}
}
