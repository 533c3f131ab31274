package browser_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// What retention is about to remove says so to its owner, on lists and pages, in whole also on a
// small phone and in long words.
func TestBrowserRetentionIsAnnounced(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "SIGNING_SWEEP=1s", "IDV_SWEEP=1s", "SIGNING_TRASH_AFTER=30", "IDV_ERASE_AFTER=30", "SESSION_IDLE=2400h", "SESSION_LIFETIME=2400h")
	var made struct{ IDs []string }
	reply := e2etest.Manage(t, app, "POST", "/packages", map[string]any{
		"count": 1, "status": "COMPLETED", "owner": "alice@sandbox", "signer": "bob@sandbox.example", "updatedFrom": time.Now().UTC().Format(time.RFC3339),
	})
	if err := json.Unmarshal(reply.Body, &made); err != nil {
		t.Fatal(err)
	}
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	check := alice.Send("PUT", "/api/transaction", map[string]any{"language": "en", "users": []map[string]any{{"first_name": "Anna", "last_name": "Muster"}}}).Want(http.StatusOK).Text("id")
	e2etest.Manage(t, app, "POST", "/transactions/"+check, map[string]any{"status": "completed", "result": "Passed"})
	clock.Advance(29*24*time.Hour + time.Minute)
	e2etest.Eventually(t, "both are announced", func() bool {
		packages, checks := alice.Send("GET", "/api/packages?query=COMPLETED", nil), alice.Send("GET", "/api/transactions", nil)
		return strings.Contains(string(packages.Body), `"trashAt":"`) && strings.Contains(string(checks.Body), `"erasureAt":"`)
	})
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	for _, path := range []string{"/packages?tab=done", "/packages/" + made.IDs[0], "/verifications?tab=done", "/verifications/" + check} {
		b.display([]scene{{"retention " + strings.ReplaceAll(path[1:16], "/", " "), func() { b.open(path) }}})
		for _, language := range []string{"en", "de", "ja"} {
			b.speaks(language)
			b.wear(looks[3])
			b.open(path)
			if b.photograph("retention " + language + " " + strings.ReplaceAll(path[1:16], "/", " ")); evaluate[string](b, announced) == "" {
				t.Errorf("%s, %s: the announcement is not seen in whole", path, language)
			}
		}
		b.speaks("en")
	}
}

// announced returns the announcement that stands on the page in whole.
const announced = `(() => {
	const words = /trash on .*\d|erased on .*\d|Papierkorb verschoben am .*\d|gelöscht am .*\d|(移動する|消去)日時：.*\d/;
	for (const p of document.querySelectorAll("main p")) {
		const time = [...p.querySelectorAll("time")].at(-1);
		if (!time || !words.test(p.innerText.replaceAll("\n", " "))) continue;
		const box = time.getBoundingClientRect();
		for (let around = time.parentElement; ; around = around.parentElement) {
			if (!around) return p.innerText;
			const limit = around.getBoundingClientRect();
			if (getComputedStyle(around).overflowY === "hidden" && (box.bottom > limit.bottom + 1 || box.right > limit.right + 1)) break;
		}
	}
	return "";
})()`
