package signing_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// warned returns the number of the log's warnings that contain text.
func warned(log *logtest.Log, text string) (n int) {
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// nested returns JSON of that many levels.
func nested(levels int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels))
}

// One package that the platform itself cannot list stops neither lists nor exports nor
// sweeps, and is named in the log once.
func TestUnreadablePackage_OthersStillListed(t *testing.T) {
	t.Parallel()
	server, log := redistest.Start(t), &logtest.Log{}
	app := e2etest.BootTo(t, log, "REDIS_URL="+server.URL(), "SIGNING_SWEEP=1s",
		"ACCESS_KEYS="+strings.Repeat("01", 31)+"02", "SESSION_KEYS="+strings.Repeat("03", 31)+"04")
	alice, bob, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	indexed(alice)
	var others []string
	for range 3 {
		others = append(others, create(alice, sentTo("bob@sandbox.example")))
	}
	deep := sentTo("bob@sandbox.example")
	deep["data"] = nested(9998)
	id := e2etest.AtPlatform(t, app, "POST", "/api/packages", deep).Text("id")
	for range 9 {
		others = append(others, create(alice, sentTo("bob@sandbox.example")))
	}
	slices.Reverse(others)

	if p := list(carol, "from=1&to=100"); p.Count != 13 || !slices.Equal(p.ids(), others) {
		t.Errorf("the account has %d: %v", p.Count, p.ids())
	}
	if got := export(t, carol, ""); !slices.Equal(got, others) {
		t.Errorf("the export has %v", got)
	}
	if r := carol.Send("GET", exportPath+"?format=csv", nil).Want(http.StatusOK); strings.Count(string(r.Body), "\r\n") != 13 {
		t.Errorf("as CSV: %s", r.Body)
	}
	carol.Send("GET", packages+"?from=10&to=10", nil).Refused(http.StatusBadGateway, "platform.failed") // contains only the deep one
	redistest.EachKey(t, server.Client(), func(ctx context.Context, node redis.Cmdable, key string) {
		if strings.HasPrefix(key, "cs:access:") {
			node.Del(ctx, key)
		}
	})
	e2etest.Eventually(t, "the lists are there again", func() bool {
		mine, whole := ownList(alice)
		theirs, wholeToo := ownList(bob)
		theirs = slices.DeleteFunc(theirs, func(one string) bool { return one == id })
		return whole && wholeToo && slices.Equal(mine, others) && slices.Equal(theirs, others)
	})
	if n := warned(log, id); n != 1 {
		t.Errorf("%d warnings name the package:\n%s", n, log)
	}
	if n := warned(log, "sweep failed"); n != 0 {
		t.Errorf("the index sweep failed:\n%s", log)
	}
}
