package operation_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// An action succeeds even if the trail cannot be written: each event goes to the log
// instead, and counts as lost. Only a trusted proxy can set a request's id there.
func TestAuditTrail_CannotBeWritten(t *testing.T) {
	log := &logtest.Log{}
	app := e2etest.BootTo(t, log, "AUDIT_LOG=/dev/full", "TRUSTED_PROXIES=192.0.2.0/24")
	c := e2etest.Browser(t, app)
	c.Header.Set("X-Request-Id", "of-a-outsider")
	c.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	c.Header.Set("X-Forwarded-For", "198.51.100.7")
	c.Header.Set("User-Agent", `phone" event.person=carol@sandbox level=INFO`)
	c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"a secret"}}`).Refused(http.StatusConflict, "sign-in.refused")
	c.SignedIn(alice)
	c.Register(e2etest.NewPasskey(app))
	c.Page("/account").Want(http.StatusOK)
	c.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	told := log.String()
	const lost = `level=ERROR msg="audit event not written"`
	if n := strings.Count(told, lost); n != 4 {
		t.Errorf("%d events of 4 are in the log:\n%s", n, told)
	}
	for _, part := range []string{"event.event=sign-in.refused", "event.event=sign-in.accepted", "event.event=authenticator.registered", "event.event=session.signed-out", `event.device="phone\" event.person=carol@sandbox level=INFO"`} {
		if !strings.Contains(told, part) {
			t.Errorf("the log lacks %s:\n%s", part, told)
		}
	}
	for _, hidden := range []string{"of-a-outsider", "4bf92f3577b34da6a3ce929d0e0e4736", "198.51.100.7", "a secret", "Sandbox-1!", "\nevent."} {
		if strings.Contains(told, hidden) {
			t.Errorf("the log tells %q:\n%s", hidden, told)
		}
	}
	if metrics := e2etest.Asked(t, app, "/metrics").Body; !e2etest.Has(metrics, "\ncountersign_audit_events_lost_total 4\n") {
		t.Error("the metrics do not count 4 lost events")
	}
}
