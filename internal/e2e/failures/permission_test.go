package failures_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"
)

// rule is the least that docs/operate/redis.md allows a user of Redis, for another prefix.
const rule = "on >pw resetkeys ~shop:* resetchannels &shop:* nocommands"

// allowed makes a user of Redis, and returns the URL for it.
func allowed(t *testing.T, server *redistest.Server, words ...string) string {
	t.Helper()
	args := []any{"acl", "setuser", "app"}
	for _, word := range append(strings.Fields(rule), words...) {
		args = append(args, word)
	}
	if err := server.Client().Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(server.URL(), "://", "://app:pw@", 1)
}

// documented returns the commands of the rule in docs/operate/redis.md.
func documented(t *testing.T) (commands []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/operate/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\nACL SETUSER countersign ")
	line, _, _ := strings.Cut(after, "\n")
	for word := range strings.FieldsSeq(line) {
		if strings.HasPrefix(word, "+") {
			commands = append(commands, word)
		}
	}
	if len(commands) < 40 {
		t.Fatalf("the document allows %v", commands)
	}
	return commands
}

// A user of Redis with the rights of the documents, and one prefix, has all that people do work.
func TestRedis_MinimalPermissions(t *testing.T) {
	server := redistest.Start(t)
	app := e2etest.Boot(t, "REDIS_PREFIX=shop:", "REDIS_URL="+allowed(t, server, documented(t)...))
	if r := e2etest.Asked(t, app, "/readyz"); string(r.Body) != "ready\n" {
		t.Errorf("/readyz: %d %q", r.Status, r.Body)
	}
	alice := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	e2etest.Eventually(t, "the index is built", func() bool { return alice.Page("/packages").Status == http.StatusOK })
	for _, path := range []string{"/account", "/verifications", "/packages"} {
		alice.Page(path).Want(http.StatusOK)
	}
	refused, err := server.Client().Do(t.Context(), "acl", "log").Slice()
	if err != nil || len(refused) > 0 {
		t.Errorf("Redis refused %v, %v", refused, err)
	}
	kinds := map[string]bool{}
	redistest.EachKey(t, server.Client(), func(_ context.Context, _ redis.Cmdable, key string) {
		rest, ours := strings.CutPrefix(key, "shop:")
		kinds[strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(":{", r) })[0]] = true
		if !ours {
			t.Errorf("the key %s has another prefix", key)
		}
	})
	for _, kind := range []string{"kept", "access", "a", "u"} {
		if !kinds[kind] {
			t.Errorf("no key of the kind %s: %v", kind, kinds)
		}
	}
}

// Without the channel, everything works but hints, which is told in three places.
func TestRedis_ChannelNotPermitted(t *testing.T) {
	server := redistest.Start(t)
	var log logtest.Log
	app := e2etest.BootTo(t, &log, "REDIS_PREFIX=shop:", "IDV_CALLBACK_KEY=secret-of-the-callback", "REDIS_URL="+allowed(t, server, append(documented(t), "resetchannels")...))
	e2etest.Eventually(t, "/readyz tells", func() bool {
		r := e2etest.Asked(t, app, "/readyz")
		return r.Status == http.StatusOK && string(r.Body) == "ready, but Redis refuses messages, so live pages are slower\n"
	})
	if !e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, "\ncountersign_redis_hints 0\n") {
		t.Error("the metric does not tell")
	}
	if n := strings.Count(log.String(), "Redis refuses messages, so live pages are slower"); n != 1 {
		t.Errorf("the log tells %d times:\n%s", n, log.String())
	}
	program := e2etest.Program(t, app)
	for range 2 {
		program.Send("POST", "/callbacks/verification?"+url.Values{"key": {"secret-of-the-callback"}}.Encode(), map[string]any{"transaction_id": "0b4e1e5c-5a3c-4c0e-9d4e-0d7a3d7f3a10"}).Want(http.StatusNoContent)
	}
	program.SignedIn("alice@sandbox")
}
