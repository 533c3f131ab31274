package redisdb_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"countersign/internal/leaktest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"
)

func TestOpen_InvalidOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		options redisdb.Options
		says    string
	}{
		"nothing":              {redisdb.Options{}, "the URL is missing"},
		"embedded with a URL":  {redisdb.Options{Embedded: true, URL: "redis://localhost"}, "no URL"},
		"embedded, no clock":   {redisdb.Options{Embedded: true}, "clock"},
		"an unknown mode":      {redisdb.Options{URL: "redis://localhost", Mode: "ring"}, `"ring"`},
		"another scheme":       {redisdb.Options{URL: "http://localhost"}, "scheme"},
		"an unknown option":    {redisdb.Options{URL: "redis://localhost?color=red"}, "color"},
		"no master":            {redisdb.Options{URL: "redis://localhost", Mode: redisdb.ModeSentinel}, "master_name"},
		"a bad cluster node":   {redisdb.Options{URL: "redis://localhost?addr=x", Mode: redisdb.ModeCluster}, "does not parse"},
		"a slash in the key":   {redisdb.Options{URL: "redis://:se/cret@localhost"}, "percent-encoded"},
		"a number for the key": {redisdb.Options{URL: "redis://:12/secret@localhost"}, "percent-encoded"},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := redisdb.Open(tt.options)
			if err == nil {
				_ = db.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q does not say %q", err, tt.says)
			}
			if wrong := redisdb.Check(tt.options); !tt.options.Embedded && (wrong == nil || !strings.Contains(wrong.Error(), tt.says)) {
				t.Errorf("before it is opened: %v", wrong)
			}
			if strings.Contains(err.Error(), "cret") {
				t.Errorf("error %q repeats the password", err)
			}
		})
	}
}

func TestModes_RunCommands(t *testing.T) {
	for name, start := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			options := start(t)
			leaks := goleak.IgnoreCurrent()
			db := open(t, options)
			if err := errors.Join(db.Readable(t.Context()), db.Writable(t.Context())); err != nil {
				t.Fatal(err)
			}
			script := redis.NewScript(`return redis.call('INCR', KEYS[1])`)
			for i := range 20 {
				if err := script.Run(t.Context(), db.Client, []string{string(rune('a' + i))}).Err(); err != nil {
					t.Fatal(err)
				}
			}
			pipeline := db.Client.Pipeline()
			one, other := pipeline.Incr(t.Context(), "a"), pipeline.Get(t.Context(), "b")
			if _, err := pipeline.Exec(t.Context()); err != nil || one.Val() != 2 || other.Val() != "1" {
				t.Errorf("pipeline: %v, %d, %q", err, one.Val(), other.Val())
			}
			transaction := db.Client.TxPipeline()
			both := transaction.Incr(t.Context(), "a")
			if _, err := transaction.Exec(t.Context()); err != nil || both.Val() != 3 {
				t.Errorf("transaction: %v, %d", err, both.Val())
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			leaktest.None(t, leaks)
		})
	}
}

func TestSentinel_FailoverFollowed(t *testing.T) {
	t.Parallel()
	sentinel := redistest.StartSentinel(t)
	db := open(t, redisdb.Options{URL: sentinel.URL(), Mode: redisdb.ModeSentinel})
	defer db.Close()
	if err := db.Client.Set(t.Context(), "key", "before", 0).Err(); err != nil {
		t.Fatal(err)
	}
	sentinel.Failover(t)
	master := sentinel.Master.Client()
	redistest.Eventually(t, "writes go to the new master", func() bool {
		return db.Client.Set(t.Context(), "key", "after", 0).Err() == nil && master.Get(t.Context(), "key").Val() == "after"
	})
}

func TestEmbedded_KeysExpire(t *testing.T) {
	var clock clock
	db := open(t, redisdb.Options{Embedded: true, Now: clock.now})
	defer db.Close()
	for key, life := range map[string]time.Duration{"short": time.Minute, "long": time.Hour} {
		if err := db.Client.Set(t.Context(), key, "value", life).Err(); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(2 * time.Minute)
	redistest.Eventually(t, "a key of one minute is gone after two", func() bool {
		return db.Client.Exists(t.Context(), "short").Val() == 0
	})
	if left := db.Client.TTL(t.Context(), "long").Val(); left != 58*time.Minute {
		t.Errorf("a key of one hour has %v left after two minutes", left)
	}
	clock.advance(time.Hour)
	redistest.Eventually(t, "a key of one hour is gone after an hour and two minutes", func() bool {
		return db.Client.Exists(t.Context(), "long").Val() == 0
	})
}

// A key that is set after the clock moved lives its full time.
func TestEmbedded_KeyLivesFullTime(t *testing.T) {
	var clock clock
	db := open(t, redisdb.Options{Embedded: true, Now: clock.now})
	defer db.Close()
	for range 50 {
		clock.advance(time.Hour)
		if err := db.Client.Set(t.Context(), "key", "value", 90*time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		clock.advance(time.Hour)
		if left := db.Client.TTL(t.Context(), "key").Val(); left != 30*time.Minute {
			t.Fatalf("a key of 90 minutes has %v left after an hour", left)
		}
	}
}

func TestEmbedded_ClockStepsBack(t *testing.T) {
	var clock clock
	db := open(t, redisdb.Options{Embedded: true, Now: clock.now})
	defer db.Close()
	if err := db.Client.Set(t.Context(), "witness", "value", time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	clock.advance(-time.Hour)
	clock.advance(time.Minute)
	redistest.Eventually(t, "time passes again from where the clock is", func() bool {
		clock.advance(10 * time.Second)
		return db.Client.Exists(t.Context(), "witness").Val() == 0
	})
}

func TestLogger_FailedDial(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	log := &logtest.Log{}
	db := open(t, redisdb.Options{URL: server.URL(), Logger: slog.New(slog.NewTextHandler(log, nil))})
	defer db.Close()
	if err := db.Readable(t.Context()); err == nil {
		t.Fatal("a killed server answers")
	}
	redistest.Eventually(t, "the failed dial is in the log", func() bool { return strings.Contains(log.String(), "failed to dial") })
}

// patience is a time limit that Redis does not reach in tests of something else.
const patience = time.Minute

// open opens a DB with a time-out long enough for a busy machine.
func open(t *testing.T, o redisdb.Options) *redisdb.DB {
	t.Helper()
	o.Timeout = patience
	return hasty(t, o)
}

// hasty opens a DB with the options as they are.
func hasty(t *testing.T, o redisdb.Options) *redisdb.DB {
	t.Helper()
	db, err := redisdb.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// clock is a clock that a test moves.
type clock struct{ shift guarded[time.Duration] }

func (c *clock) now() time.Time { return epoch.Add(c.shift.get()) }
func (c *clock) advance(d time.Duration) {
	c.shift.update(func(shift time.Duration) time.Duration { return shift + d })
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
