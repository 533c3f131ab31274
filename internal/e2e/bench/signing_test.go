package bench_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// signing are the additional settings for signing.
var signing = []string{
	"COUNTERSIGN_SIGNING_API_KEY=none", "COUNTERSIGN_ACCESS_KEYS=" + strings.Repeat("0dd5", 16), "COUNTERSIGN_RATE_LOOKUP=off",
}

// BenchmarkSigningRelay measures GET /api/packages/{id} of a package of about 4 KiB by
// its owner: the session and the policy from Redis, one call of the platform, and the
// answer, which is read to its end before it is sent. Bare is httputil.ReverseProxy to
// the same call, after one GET from the same Redis.
func BenchmarkSigningRelay(b *testing.B) { signingRelay(b, newBench(b, signing...)) }

// BenchmarkSigningRelayFixed is BenchmarkSigningRelay with a platform that answers at once.
func BenchmarkSigningRelayFixed(b *testing.B) {
	signingRelay(b, newBenchBehind(b, func(sandbox string) string { return fixed(b, sandbox) }, signing...))
}

func signingRelay(b *testing.B, t *bench) {
	b.Helper()
	var ids []string
	all := t.crowd(b, func(c *e2etest.Client) {
		ids = append(ids, c.Send("POST", "/api/packages", packageOf4KiB()).Want(http.StatusOK).Text("id"))
	})
	path := func(user string) string {
		own := slices.IndexFunc(all, func(h holder) bool { return h.user == user }) / crowdSessions
		return "/api/packages/" + ids[own]
	}
	duels(b, t.ours(all, path), t.bare(b, all, path, nil))
}

// packageOf4KiB returns a draft whose answer from the platform has about 4 KiB.
func packageOf4KiB() string {
	var roles []any
	for i := range 2 {
		roles = append(roles, map[string]any{"id": fmt.Sprintf("role%d", i), "signers": []any{
			map[string]any{"email": fmt.Sprintf("signer%d@bench.internal", i), "firstName": "Given", "lastName": "Family"},
		}})
	}
	text, _ := json.Marshal(map[string]any{"name": "Bench", "description": strings.Repeat("Lorem ipsum. ", 60), "roles": roles})
	return string(text)
}

// BenchmarkOwnList compares the first page of a list of 10 000 own packages with one of
// 100, by the ratio of the answers' times.
func BenchmarkOwnList(b *testing.B) {
	t := newBench(b, append(signing, "COUNTERSIGN_SIGNING_SWEEP=1s")...)
	for owner, count := range map[string]int{"alice@sandbox": 10_000, "bob@sandbox": 100} {
		if status := t.platform.Post(t.platform.Sandbox+"/_manage/packages", fmt.Sprintf(`{"count":%d,"status":"SENT","owner":%q}`, count, owner)); status != http.StatusOK {
			b.Fatalf("%d packages of %s: %d", count, owner, status)
		}
	}
	many, few := t.person(b).SignedIn("alice@sandbox"), t.person(b).SignedIn("bob@sandbox")
	counted(b, many, 10_000)
	counted(b, few, 100)
	duel(b, askers, t.as(many, "/api/packages"), t.as(few, "/api/packages"))
}

// counted waits until the index has that many packages of the person.
func counted(b *testing.B, c *e2etest.Client, count float64) {
	b.Helper()
	for {
		if r := c.Send("GET", "/api/packages", nil); r.Status == http.StatusOK && r.Member("count") == count {
			return
		}
		if b.Context().Err() != nil {
			b.Fatal(b.Context().Err())
		}
	}
}
