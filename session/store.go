package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/seal"

	"github.com/gorilla/sessions"
	"github.com/redis/go-redis/v9"
)

const (
	// verbTimeout is the default of Options.Timeout. discardTimeout is for undoing a
	// failed verb. Together they let a verb answer within a second, whatever Redis does.
	verbTimeout    = 800 * time.Millisecond
	discardTimeout = 100 * time.Millisecond
	// slack is added to the life of a pre-session's last record: the time to
	// finish the ceremony.
	slack = time.Minute
)

// Options configure a Store. All of them are required unless they say otherwise.
type Options struct {
	// Redis is a client that never sends a write or a script twice and answers within a
	// second, such as redisdb's.
	Redis redis.Cmdable
	// Read, if given, sends commands that change nothing instead of Redis, such as with those of
	// other requests.
	Read func(context.Context, ...redis.Cmder)
	// Repeats, if given, repeats ends and spends that a failover of Redis may undo.
	Repeats *redisdb.FailoverReplay
	// Keys are the session keys.
	Keys seal.Keys
	// CookieName and Secure are the cookie's. Browsers accept a name with a __Host-
	// prefix only if Secure.
	CookieName string
	Secure     bool
	// Idle is the life of an unused session, Lifetime the maximum life of any session,
	// both in whole seconds. RecordTTL limits how long a record waits to be spent.
	Idle, Lifetime, RecordTTL time.Duration
	// Proofs judges the proofs of bound sessions. ProofRepeats, if given, repeats for them
	// what a failover of Redis may undo.
	Proofs       *dpop.Verifier
	ProofRepeats *redisdb.FailoverReplay
	// NoBasic says that the scheme Basic presents no session.
	NoBasic bool
	// BindBrowsers asks browsers to bind their sessions to browser keys.
	BindBrowsers bool
	// Timeout limits a verb with all its round trips; 0 stands for 0.8 s.
	Timeout time.Duration
	// Now is the clock.
	Now func() time.Time
}

// Store keeps sessions in Redis. It is a sessions.Store of gorilla's, and safe for
// concurrent use; a Session is not.
type Store struct {
	redis          redis.Cmdable
	ask            func(context.Context, ...redis.Cmder)
	repeats        *redisdb.FailoverReplay
	proofs         *dpop.Verifier
	proofRepeats   *redisdb.FailoverReplay
	noBasic        bool
	bindBrowsers   bool
	keys           seal.Keys
	name           string
	cookie         sessions.Options
	idle, lifetime time.Duration
	recordTTL      time.Duration
	timeout        time.Duration
	now            func() time.Time
	memory         *memory
}

// NewStore returns a Store; the error names every option that cannot be used.
func NewStore(o Options) (*Store, error) {
	var problems []error
	if len(o.Keys.Each()) == 0 {
		problems = append(problems, errors.New("session: no key"))
	}
	if o.Redis == nil || o.Now == nil || o.Proofs == nil {
		problems = append(problems, errors.New("session: Redis, the clock or the proof verifier is missing"))
	}
	if o.Idle <= 0 || o.Lifetime < time.Second || o.RecordTTL <= 0 {
		problems = append(problems, fmt.Errorf("session: idle %v, lifetime %v, record TTL %v: each takes time", o.Idle, o.Lifetime, o.RecordTTL))
	}
	if o.CookieName == "" || strings.HasPrefix(o.CookieName, "__") && !o.Secure {
		problems = append(problems, fmt.Errorf("session: no browser takes a cookie named %q, secure %v", o.CookieName, o.Secure))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if o.Read == nil {
		o.Read = func(ctx context.Context, cmds ...redis.Cmder) { pipeline(ctx, o.Redis, cmds...) }
	}
	return &Store{
		redis: o.Redis, ask: o.Read, repeats: o.Repeats, proofs: o.Proofs, proofRepeats: o.ProofRepeats, noBasic: o.NoBasic, bindBrowsers: o.BindBrowsers, keys: o.Keys, now: o.Now, memory: newMemory(),
		idle: o.Idle, lifetime: o.Lifetime, recordTTL: o.RecordTTL, timeout: cmp.Or(o.Timeout, verbTimeout),
		name: o.CookieName, cookie: cookieOptions(o.Secure),
	}, nil
}

// idleOf returns how long a session in this state lives unused.
func (s *Store) idleOf(known state) time.Duration {
	if known.UserID == "" {
		return s.recordTTL + slack
	}
	return s.idle
}

// load reads the session of t and sends along in one round trip; every request does so.
func (s *Store) load(ctx context.Context, t token, along ...redis.Cmder) (*Session, bool, error) {
	sess := &Session{token: t, tag: t.tag()}
	read := redis.NewStringCmd(ctx, "get", sess.tag.session())
	s.ask(ctx, append(along, read)...) // each has its own error
	value, err := read.Bytes()
	if ok, err := s.opened(ctx, sess, value, err); !ok {
		return nil, false, err
	}
	return sess, true, nil
}

// pipeline sends commands in one round trip. Each has its own reply or error.
func pipeline(ctx context.Context, client redis.Cmdable, cmds ...redis.Cmder) {
	_, _ = client.Pipelined(ctx, func(p redis.Pipeliner) error { return p.BatchProcess(ctx, cmds...) })
}

// Live reports whether a session loaded before is still alive. It does not prolong it;
// the error is an outage.
func (s *Store) Live(ctx context.Context, sess *Session) (bool, error) {
	_, live, err := s.load(ctx, sess.token)
	return live, err
}

// verbContext returns the context of a verb. A verb continues if the client goes away, so
// that none is left half done, and ends after its time-out.
func (s *Store) verbContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
}

// outage returns the fault for err, a failure of Redis during the action doing.
func outage(ctx context.Context, doing string, err error) error {
	return redisdb.UnavailableAs(ctx, fault.SessionUnavailable, "session: "+doing, err)
}

// ended returns the fault for a session that ended while its request was under way.
func ended(doing string) error {
	return fault.Wrap(fault.SessionRequired, fmt.Errorf("session: %s: it ended meanwhile", doing))
}
