package redisdb_test

import (
	"log/slog"
	"strings"
	"testing"

	"countersign/internal/logtest"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// A Redis that held nothing is reported once, by one of the nodes, each time.
func TestEmptyRedis_ReportedOnce(t *testing.T) {
	server, cluster := redistest.Start(t), redistest.StartCluster(t)
	for _, tt := range []struct {
		options redisdb.Options
		master  *redistest.Server
		first   string
	}{
		{redisdb.Options{URL: server.URL()}, server, "empty=1 masters=1"},
		{redisdb.Options{URL: cluster.URL(), Mode: redisdb.ModeCluster}, cluster.Nodes[1], "empty=3 masters=3"},
	} {
		log := &logtest.Log{}
		tt.options.Logger = slog.New(slog.NewTextHandler(log, nil))
		one, other := open(t, tt.options), open(t, tt.options)
		defer one.Close()
		defer other.Close()
		told := func(times int, last string) {
			t.Helper()
			for range often {
				for _, db := range []*redisdb.DB{one, other} {
					if err := db.Writable(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			text := strings.TrimSpace(log.String())
			if strings.Count(text, "redis data lost") != times || !strings.HasSuffix(text, last) {
				t.Errorf("want %d times, at last %s:\n%s", times, last, text)
			}
		}
		told(1, tt.first)
		tt.master.Restart() // with its data
		redistest.Eventually(t, "it is back", func() bool { return one.Readable(t.Context()) == nil && other.Readable(t.Context()) == nil })
		told(1, tt.first)
		do(t, tt.master, []any{"flushall"})
		told(2, strings.Replace(tt.first, "empty=3", "empty=1", 1))
	}
}

// The embedded Redis starts empty and reports nothing: the banner says that it is empty.
func TestEmbedded_EmptyStartNotReported(t *testing.T) {
	log := &logtest.Log{}
	var clock clock
	db := open(t, redisdb.Options{Embedded: true, Now: clock.now, Logger: slog.New(slog.NewTextHandler(log, nil))})
	defer db.Close()
	always(t, db.Writable, "")
	if strings.Contains(log.String(), "redis data lost") {
		t.Error(log.String())
	}
}
