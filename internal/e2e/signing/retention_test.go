package signing_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// A package is announced in the lists of JSON, on the pages, and in the audit trail a day before
// it goes to the trash.
func TestRetention_AnnouncedBeforeTrash(t *testing.T) {
	trail := filepath.Join(t.TempDir(), "audit.jsonl")
	app, clock := e2etest.BootWithClock(t, "SIGNING_SWEEP=1s", "SIGNING_TRASH_AFTER=30", "IDV_ERASE_AFTER=30", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h", "AUDIT_LOG="+trail)
	var made struct{ IDs [2]string }
	reply := e2etest.Manage(t, app, "POST", "/packages", object{
		"count": 1, "status": "COMPLETED", "owner": "alice@sandbox", "signer": "bob@sandbox.example",
		"updatedFrom": time.Now().AddDate(0, 0, -40).UTC().Format(time.RFC3339),
	})
	if err := json.Unmarshal(reply.Body, &made); err != nil {
		t.Fatal(err)
	}
	alice, bob, carol := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Browser(t, app).SignedIn("carol@sandbox")
	for _, c := range []*e2etest.Client{alice, bob, carol} {
		e2etest.Eventually(t, "the list tells it", func() bool {
			return strings.Contains(string(c.Send("GET", "/api/packages?query=COMPLETED", nil).Body), `"trashAt":"`+clock.Now().UTC().AddDate(0, 0, 1).Format("2006-01-"))
		})
	}
	for _, path := range []string{"/packages?tab=done", "/packages/" + made.IDs[0]} {
		e2etest.Says(t, alice.Page(path).Want(http.StatusOK), "Moves to the trash on")
	}
	clock.Advance(23 * time.Hour)
	e2etest.Says(t, alice.Page("/packages?tab=done"), "Moves to the trash on")
	clock.Advance(2 * time.Hour)
	e2etest.Eventually(t, "it is in the trash", func() bool {
		return strings.Contains(string(alice.Send("GET", "/api/packages?query=trashed", nil).Body), made.IDs[0])
	})
	e2etest.SaysNone(t, alice.Page("/packages?tab=done"), "Moves to the trash on")
	var told []string
	for _, e := range e2etest.AuditTrail(t, trail) {
		if e.Person == "retention" {
			told = append(told, string(e.Kind)+" "+e.OnBehalfOf+" "+e.Subject)
		}
	}
	if got, want := strings.Join(told, "\n"), string(audit.RetentionAnnounced)+" alice@sandbox "+made.IDs[0]+"\n"+string(audit.PackageChanged)+" alice@sandbox "+made.IDs[0]; got != want {
		t.Errorf("the trail tells\n%s", got)
	}
}
