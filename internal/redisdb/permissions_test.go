package redisdb_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// What a user of Redis may not do is found out by a command of each kind, on every master, and
// nothing is left behind that was not there.
func TestPermissions_CheckedOnEveryMaster(t *testing.T) {
	t.Parallel()
	for name, start := range running {
		t.Run(name, func(t *testing.T) {
			options, servers := start(t)
			db := open(t, options)
			defer db.Close()
			server := servers[len(servers)-1].Client()
			for _, tt := range []struct{ rule, refused string }{
				{"~* +@all", ""},
				{"~cs:* +@all", ""},
				{"~other:* +@all", "get"},
				{"~* +@all -@scripting", "evalsha"},
				{"~* +@all -time", "time"},
				{"~* +@all -expire", "expire"},
				{"~* +@all -@stream", "xadd"},
				{"~* +@all -@transaction", "multi"},
				{"~* +@all -zremrangebyrank", "zremrangebyrank"},
				{"~* +@all -exec", "exec"},
				{"%R~* +@all", "set"},
				{"%W~* +@all", "get"},
				{"~cs:kept:* +@all", "get cs:rate:{missing}"},
				{"%R~cs:p:* " + withoutProofs(t) + " +@all", "(setrange cs:p:{missing})"},
				{withoutProofs(t) + " +@all", "(get cs:p:{missing}, setrange cs:p:{missing})"},
				{"~cs:p:* " + withoutProofs(t) + " +@all", ""},
				{"~* +@all", ""},
			} {
				rule := append([]any{"acl", "setuser", "default", "resetkeys", "nocommands"}, fields(tt.rule)...)
				if err := server.Do(t.Context(), append(rule, "+acl")...).Err(); err != nil {
					t.Fatal(err)
				}
				refused, err := db.CheckPermissions(t.Context())
				if err != nil || (refused == "") != (tt.refused == "") || !strings.Contains(refused, tt.refused) {
					t.Errorf("%s: refused %q, %v; want %q", tt.rule, refused, err, tt.refused)
				}
			}
			redistest.EachKey(t, db.Client, keptOnly(t))
		})
	}
	t.Run("renamed", func(t *testing.T) {
		server := redistest.Start(t, "--rename-command", "EVALSHA", "other")
		db := open(t, redisdb.Options{URL: server.URL()})
		defer db.Close()
		if refused, err := db.CheckPermissions(t.Context()); err != nil || !strings.Contains(refused, "evalsha") {
			t.Errorf("refused %q, %v", refused, err)
		}
	})
	t.Run("full", func(t *testing.T) {
		server := redistest.Start(t, "--maxmemory", "1")
		db := open(t, redisdb.Options{URL: server.URL()})
		defer db.Close()
		if refused, err := db.CheckPermissions(t.Context()); err != nil || refused != "" {
			t.Errorf("a full Redis: refused %q, %v", refused, err)
		}
	})
	t.Run("away", func(t *testing.T) {
		server := redistest.Start(t)
		db := hasty(t, redisdb.Options{URL: server.URL()})
		defer db.Close()
		server.Kill()
		if refused, err := db.CheckPermissions(t.Context()); err == nil || refused != "" {
			t.Errorf("refused %q, %v", refused, err)
		}
	})
	t.Run("embedded", func(t *testing.T) {
		db := open(t, dbtest.Kinds["embedded"](t))
		defer db.Close()
		if refused, err := db.CheckPermissions(t.Context()); err != nil || refused != "" {
			t.Errorf("refused %q, %v", refused, err)
		}
	})
}

// withoutProofs is a rule with the keys of each kind that is stored, but those of proofs.
func withoutProofs(t *testing.T) string {
	t.Helper()
	stored, err := os.ReadFile("../archtest/testdata/stored.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rule []string
	for line := range strings.Lines(string(stored)) {
		if _, key, _ := strings.Cut(line, " cs:"); key != "" && strings.HasPrefix(line, "key ") && key != "\n" && key != "p:\n" {
			rule = append(rule, "~cs:"+strings.TrimSpace(key)+"*")
		}
	}
	return strings.Join(rule, " ")
}

// fields returns the words of a rule.
func fields(rule string) (all []any) {
	for word := range strings.FieldsSeq(rule) {
		all = append(all, word)
	}
	return all
}

// keptOnly says that a key is not one that is kept.
func keptOnly(t *testing.T) func(context.Context, redis.Cmdable, string) {
	return func(_ context.Context, _ redis.Cmdable, key string) {
		if key != "cs:kept:text" {
			t.Errorf("it left %s", key)
		}
	}
}
