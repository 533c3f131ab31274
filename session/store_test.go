package session_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/seal"
	"countersign/session"
	"countersign/session/sessiontest"

	"github.com/redis/go-redis/v9"
)

func TestNewStore_Refuses(t *testing.T) {
	db := dbtest.Embedded(t)
	for name, tt := range map[string]struct {
		change func(*session.Options)
		says   string
	}{
		"no Redis":               {func(o *session.Options) { o.Redis = nil }, "Redis"},
		"no clock":               {func(o *session.Options) { o.Now = nil }, "clock"},
		"no key":                 {func(o *session.Options) { o.Keys = seal.Keys{} }, "no key"},
		"no idle time":           {func(o *session.Options) { o.Idle = 0 }, "idle"},
		"a short lifetime":       {func(o *session.Options) { o.Lifetime = time.Millisecond }, "lifetime"},
		"no time for records":    {func(o *session.Options) { o.RecordTTL = -time.Second }, "record"},
		"no cookie name":         {func(o *session.Options) { o.CookieName = "" }, "cookie"},
		"a host cookie in clear": {func(o *session.Options) { o.Secure = false }, "secure"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(db, time.Now)
			tt.change(&o)
			store, err := session.NewStore(o)
			if err == nil || store != nil {
				t.Fatal("taken")
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q does not say %q", err, tt.says)
			}
		})
	}
	o := options(db, time.Now)
	o.Idle, o.Keys = 0, seal.Keys{}
	if _, err := session.NewStore(o); err == nil || !strings.Contains(err.Error(), "idle") || !strings.Contains(err.Error(), "key") {
		t.Errorf("two problems are told as %v", err)
	}
	o = options(db, time.Now)
	o.CookieName, o.Secure = "countersign", false
	if _, err := session.NewStore(o); err != nil {
		t.Errorf("on plain http: %v", err)
	}
}

// TestSession_PrintedWithoutToken: a session in a log does not reveal its token.
func TestSession_PrintedWithoutToken(t *testing.T) {
	store := newStore(t, dbtest.Embedded(t), time.Now)
	sess := signIn(t, store, nil, session.User{ID: "alice@sandbox"})
	for _, format := range []string{"%v", "%+v", "%s"} {
		if got := fmt.Sprintf(format, sess); got != "session "+sess.ID() {
			t.Errorf("%s prints %q", format, got)
		}
	}
}

// TestStore_ResponseLost loses the answer to a script that Redis has run: the verb returns an
// outage, and the record cannot be spent again.
func TestStore_ResponseLost(t *testing.T) {
	for name, o := range map[string]redisdb.Options{"embedded": {Embedded: true, Now: time.Now}, "real": {URL: redistest.Start(t).URL(), Timeout: dbtest.Patience}} {
		t.Run(name, func(t *testing.T) {
			db := dbtest.Open(t, o)
			lossy := &lossy{}
			db.Client.AddHook(lossy)
			store := newStore(t, db, time.Now)
			sess := signIn(t, store, nil, session.User{ID: "alice@sandbox"})
			begin(t, store, sess, "challenge")

			lossy.loses.Store(true)
			err := store.Consume(t.Context(), sess, sessiontest.Ceremony("challenge"))
			if !fault.Is(err, fault.SessionUnavailable) || !errors.Is(err, io.EOF) {
				t.Errorf("spent with a lost answer: %v", err)
			}
			if lost := fault.From(err); lost.Row().Retryable || lost.Row().Action != fault.ActionRestart || lost.RetrySeconds() != 0 {
				t.Errorf("after a lost answer the same can be sent again: %+v", lost.Row())
			}
			lossy.loses.Store(false)
			if outcome := spend(t, store, sess, "challenge"); outcome != sessiontest.Spent {
				t.Errorf("spent after a lost answer: %d", outcome)
			}
		})
	}
}

// lossy lets a script run and loses its answer.
type lossy struct{ loses atomic.Bool }

func (*lossy) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*lossy) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l *lossy) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if err == nil && l.loses.Load() && strings.HasPrefix(cmd.Name(), "eval") {
			cmd.SetErr(io.EOF)
			return io.EOF
		}
		return err
	}
}

// TestLoad_OneRoundTrip counts the round trips of a request.
func TestLoad_OneRoundTrip(t *testing.T) {
	db := dbtest.Embedded(t)
	store := newStore(t, db, time.Now)
	sess := signIn(t, store, nil, session.User{ID: "alice@sandbox"})
	counter := &counter{}
	db.Client.AddHook(counter)
	loaded, ok, err := store.Load(bearer(sess))
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got := counter.asked.Load(); got != 1 {
		t.Errorf("loading asks Redis %d times", got)
	}
	if err := store.Touch(t.Context(), loaded); err != nil || counter.asked.Load() != 1 {
		t.Errorf("touching what was just used asks Redis: %v", err)
	}
	for text := range sessiontest.WrongSpellings(sess.Token()) {
		wrong := bearer(sess)
		wrong.Header.Set("Authorization", "Bearer "+sessiontest.WrongSpellings(sess.Token())[text])
		if _, ok, err := store.Load(wrong); ok || err != nil || counter.asked.Load() != 1 {
			t.Errorf("a token that is %s reaches Redis: %v, %v", text, ok, err)
		}
	}
}

// counter counts round trips.
type counter struct{ asked atomic.Int32 }

func (*counter) DialHook(next redis.DialHook) redis.DialHook { return next }
func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.asked.Add(1)
		return next(ctx, cmd)
	}
}
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.asked.Add(1)
		return next(ctx, cmds)
	}
}
