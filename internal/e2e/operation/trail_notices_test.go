package operation_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"countersign/internal/e2e/e2etest"
)

// letters returns the letters with this subject.
func (l *trail) letters(subject string) []e2etest.Letter {
	l.t.Helper()
	return slices.DeleteFunc(e2etest.Outbox(l.t, l.App, ""), func(m e2etest.Letter) bool { return !strings.Contains(m.Subject, subject) })
}

// People, and nobody else, are informed by e-mail, in their language, of a passkey added
// or removed, and of a sign-in from a new device.
func (l *trail) notified() {
	l.t.Helper()
	for _, subject := range []string{"New passkey at localhost", "Passkey removed at localhost"} {
		e2etest.Eventually(l.t, subject, func() bool { return len(l.letters(subject)) == 1 })
	}
	removed := l.letters("Passkey removed")[0]
	if removed.To != emailOf(l) || !strings.Contains(removed.Text, alice) || !strings.Contains(removed.Text, "127.0.0.1") || len(removed.Links) > 0 || strings.Contains(removed.Text, "//") || strings.Count(removed.Text, "UTC") != 1 {
		l.t.Errorf("the notice is %+v", removed)
	}
	// A sign-in from alice's earlier browser, with other version numbers, sends no
	// notice.
	c := e2etest.Browser(l.t, l.App)
	c.Header.Set("User-Agent", "Go-http-client/77.3")
	c.SignedIn(alice)
	other := e2etest.Browser(l.t, l.App)
	other.Header.Set("User-Agent", "Palmtop/1")
	other.Header.Set("Accept-Language", "de")
	other.SignedIn(alice)
	e2etest.Eventually(l.t, "the notice of a new device", func() bool { return len(l.letters("Neue Anmeldung bei localhost")) == 1 })
	told := l.letters("Neue Anmeldung")[0]
	if told.To != emailOf(l) || !strings.Contains(told.Text, alice) || strings.Contains(told.Text, "Palmtop") || !strings.Contains(told.Text, "Unbekanntes Gerät") {
		l.t.Errorf("the notice is %+v", told)
	}
	// One of the notices is of the phone that was used before (in shown), and none is of
	// Go's client.
	if n := len(l.letters("New sign-in at localhost")); n != 2 {
		l.t.Errorf("%d notices of new devices in English: %+v", n, l.letters("New sign-in"))
	}
}

// emailOf returns alice's e-mail address.
func emailOf(l *trail) string {
	c := e2etest.Browser(l.t, l.App)
	c.Header.Set("User-Agent", "Go-http-client/1.1")
	c.SignedIn(alice)
	var me struct{ User struct{ Email string } }
	if err := json.Unmarshal(c.Send("GET", "/session", nil).Want(http.StatusOK).Body, &me); err != nil {
		l.t.Fatal(err)
	}
	return me.User.Email
}
