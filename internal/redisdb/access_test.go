package redisdb_test

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// A password is changed while Redis takes both: connections that are open go on, new ones show
// the new one, and the old one can go.
func TestRenew_Password(t *testing.T) {
	t.Parallel()
	sentinel := redistest.StartSentinel(t)
	sentinel.Require(t, redistest.Passwords{Redis: "first", Sentinel: "watch", User: "watcher", UserPassword: "other"})
	single, cluster := redistest.Start(t), redistest.StartCluster(t)
	servers := map[string][]*redistest.Server{"single": {single}, "sentinel": {sentinel.Master}, "cluster": cluster.Nodes}
	for mode, url := range map[string]func(password string) string{
		"single": func(password string) string { return "redis://:" + password + "@" + single.Addr },
		"sentinel": func(password string) string {
			return strings.Replace(sentinel.URL(), "://", "://:watch@", 1) + "&password=" + password
		},
		"cluster": func(password string) string { return strings.Replace(cluster.URL(), "://", "://:"+password+"@", 1) },
	} {
		t.Run(mode, func(t *testing.T) {
			command := func(password string, words ...any) {
				t.Helper()
				for _, server := range servers[mode] {
					admin := redis.NewClient(&redis.Options{Addr: server.Addr, Password: password})
					if err := admin.Do(t.Context(), words...).Err(); err != nil {
						t.Fatal(err)
					}
					_ = admin.Close()
				}
			}
			if mode != "sentinel" {
				command("", "acl", "setuser", "default", "resetpass", ">first")
			}
			db := open(t, redisdb.Options{URL: url("first"), Mode: mode})
			works := func(what string) {
				t.Helper()
				if err := db.Client.Set(t.Context(), "{a}", what, 0).Err(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			works("before")
			command("first", "acl", "setuser", "default", ">second")
			if err := db.Renew(redisdb.Options{URL: url("second"), Mode: mode}); err != nil {
				t.Fatal(err)
			}
			command("first", "acl", "setuser", "default", "<first")
			works("over the open connection")
			command("second", "client", "kill", "type", "normal", "skipme", "yes")
			works("over a new one")
		})
	}
}

// New connections believe the new authorities.
func TestRenew_Authority(t *testing.T) {
	t.Parallel()
	_, url, trust := redistest.StartTLS(t)
	db := open(t, redisdb.Options{URL: url, TLS: &tls.Config{RootCAs: x509.NewCertPool()}})
	if db.Readable(t.Context()) == nil {
		t.Fatal("a server that nobody vouches for is believed")
	}
	if err := db.Renew(redisdb.Options{URL: url, TLS: trust}); err != nil {
		t.Fatal(err)
	}
	if err := db.Readable(t.Context()); err != nil {
		t.Error(err)
	}
}

// Another Redis, or another mode, takes a restart; the errors tell no password.
func TestRenew_OtherRedisRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ mode, before, after string }{
		"another host":          {"single", "redis://:hidden@localhost:1", "redis://:hidden@otherhost:1"},
		"another database":      {"single", "redis://:hidden@localhost:1/0", "redis://:hidden@localhost:1/1"},
		"TLS":                   {"single", "redis://:hidden@localhost:1", "rediss://:hidden@localhost:1"},
		"a parameter":           {"single", "redis://:hidden@localhost:1", "redis://:hidden@localhost:1?pool_size=3"},
		"no URL":                {"single", "redis://:hidden@localhost:1", ":hidden"},
		"a Sentinel's password": {"sentinel", "redis://:a@localhost:1?master_name=m", "redis://:hidden@localhost:1?master_name=m"},
		"another master":        {"sentinel", "redis://localhost:1?master_name=m&password=a", "redis://localhost:1?master_name=n&password=hidden"},
		"another node":          {"cluster", "redis://:a@localhost:1?addr=localhost:2", "redis://:hidden@localhost:1?addr=localhost:3"},
	} {
		db := open(t, redisdb.Options{URL: tt.before, Mode: tt.mode})
		if err := db.Renew(redisdb.Options{URL: tt.after, Mode: tt.mode}); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
