package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// answer is the platform's answer about a person, as all nodes share it.
type answer struct {
	At int64 `cbor:"1,keyasint"` // Unix milliseconds
	// Failed says that the platform did not answer.
	Failed bool `cbor:"2,keyasint,omitempty"`
	// Lost, DisplayName and Email are as in platform.AccountStatus.
	Lost        string `cbor:"3,keyasint,omitempty"`
	DisplayName string `cbor:"4,keyasint,omitempty"`
	Email       string `cbor:"5,keyasint,omitempty"`
	// Activation is a platform.ActivationStatus, of Activations alone.
	Activation string `cbor:"6,keyasint,omitempty"`
}

func (a answer) at() time.Time { return time.UnixMilli(a.At).UTC() }

// stamp begins what is shared.
func (a answer) stamp() string {
	letter := "a"
	if a.Failed {
		letter = "n"
	}
	return fmt.Sprintf("%0*d%s", stampLength-1, a.At, letter)
}

// flight is one question about a person under way on this node, whose answer all requests
// of the person on this node share.
type flight struct {
	done chan struct{}
	said answer
	err  error
}

var errSlow = errors.New("account: the platform's answer about the person takes too long")

// ask returns the platform's answer about person: one that another request got lately, on
// any node, or a new one. The error says that there was none within askWithin.
func (c *Checker) ask(ctx context.Context, person string) (answer, error) {
	c.mu.Lock()
	f := c.flights[person]
	if f == nil {
		f = &flight{done: make(chan struct{})}
		c.flights[person] = f
		go c.fly(context.WithoutCancel(ctx), person, f)
	}
	c.mu.Unlock()
	late := time.NewTimer(askWithin)
	defer late.Stop()
	select {
	case <-f.done:
		return f.said, f.err
	case <-late.C:
		return answer{}, fault.Wrap(fault.PlatformUnavailable, errSlow)
	case <-ctx.Done():
		return answer{}, fault.Wrap(fault.RequestCancelled, ctx.Err())
	}
}

// fly gets the answer of f.
func (c *Checker) fly(ctx context.Context, person string, f *flight) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	defer func() {
		c.mu.Lock()
		delete(c.flights, person)
		c.mu.Unlock()
		close(f.done)
	}()
	b := c.board(person)
	now := c.Now()
	f.said, f.err = b.read(ctx, now.Add(-c.Every), now.Add(-min(askAgain, c.Every)), func() answer { return c.askPlatform(ctx, person) })
}

// askPlatform asks the platform about person.
func (c *Checker) askPlatform(ctx context.Context, person string) answer {
	at := c.Now().UnixMilli()
	s, err := c.Identity.AccountStatus(ctx, person)
	c.Checked(verdict(s, err), err)
	return answer{At: at, Failed: err != nil, Lost: s.Lost, DisplayName: s.DisplayName, Email: s.EmailAddress}
}

// verdict returns the verdict of the platform's answer.
func verdict(s platform.AccountStatus, err error) string {
	switch {
	case platform.StateUnreadable(err):
		return Unreadable
	case err != nil:
		return Unanswered
	}
	return cmp.Or(s.Lost, platform.Active)
}

// board holds the platform's answers about one person in Redis, for all nodes.
type board struct {
	redis      redis.Cmdable
	sealer     seal.Sealer
	key, lease string
	life       time.Duration // of an answer
}

func (c *Checker) board(person string) board {
	return newBoard(c.Redis, c.Keys.For("countersign account of "+person), c.Every)
}

func newBoard(db redis.Cmdable, sealer seal.Sealer, life time.Duration) board {
	key := "cs:o:{" + sealer.Name("account") + "}"
	return board{redis: db, sealer: sealer, key: key, lease: key + ":l", life: life}
}

// askScript returns the shared answer unless it is older than ARGV[1], or than ARGV[2] if
// the platform did not answer, in Unix milliseconds; else 'ask' for the one who takes the
// lease, with token ARGV[3], for ARGV[4] milliseconds, and 'wait' for the others. What is
// shared begins with its time, and a letter: a for an answer, n for none.
var askScript = redis.NewScript(`
local said = redis.call('GET', KEYS[1])
if said then
  local oldest = ARGV[1]
  if string.sub(said, 14, 14) == 'n' then oldest = ARGV[2] end
  if tonumber(string.sub(said, 1, 13)) >= tonumber(oldest) then return said end
end
if redis.call('SET', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[4]) then return 'ask' end
return 'wait'`)

// answerScript shares an answer, ARGV[1], for ARGV[2] milliseconds, and gives the lease of
// token ARGV[3] back.
var answerScript = redis.NewScript(`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
if redis.call('GET', KEYS[2]) == ARGV[3] then redis.call('DEL', KEYS[2]) end
return 1`)

const (
	// leaseLife is longer than the one who holds the lease needs.
	leaseLife = askWithin + time.Second
	// lookEvery is the interval at which others look for the answer.
	lookEvery = 50 * time.Millisecond
	// shareWithin limits how long an answer takes to be shared.
	shareWithin = 800 * time.Millisecond
	// stampLength is the length of a time in Unix milliseconds and the letter after it.
	stampLength = 14
)

// read returns the shared answer if it is not older than since, or tried if the platform did
// not answer. Else it asks, or waits for another node that asks, until ctx ends.
func (b board) read(ctx context.Context, since, tried time.Time, ask func() answer) (answer, error) {
	token := rand.Text()
	for {
		reply, err := askScript.Run(ctx, b.redis, []string{b.key, b.lease}, since.UnixMilli(), tried.UnixMilli(), token, leaseLife.Milliseconds()).Text()
		if err != nil {
			return answer{}, redisdb.Unavailable(ctx, "account: read the platform's answer", err)
		}
		switch reply {
		case "ask":
			said := ask()
			return said, b.share(ctx, said, token)
		case "wait":
		default:
			if said, ok := b.open(reply); ok {
				return said, nil
			}
			return answer{}, fault.Wrap(fault.ServerUnavailable, errors.New("account: an answer that does not open"))
		}
		select {
		case <-ctx.Done():
			return answer{}, fault.Wrap(fault.PlatformUnavailable, errSlow)
		case <-time.After(lookEvery):
		}
	}
}

// share shares an answer with all nodes. A verdict counts even if it cannot be shared.
func (b board) share(ctx context.Context, said answer, token string) error {
	plain, err := cbor.Marshal(said)
	if err != nil {
		return fmt.Errorf("account: encode an answer: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shareWithin)
	defer cancel()
	life := b.life
	if said.Failed {
		life = min(askAgain, b.life)
	}
	stamp := said.stamp()
	value := stamp + string(b.sealer.Seal(plain, []byte(b.key+stamp)))
	err = answerScript.Run(ctx, b.redis, []string{b.key, b.lease}, value, life.Milliseconds(), token).Err()
	if err != nil && said.Lost == "" {
		return redisdb.Unavailable(ctx, "account: share the platform's answer", err)
	}
	return nil
}

// open reads a shared answer; false for anything else.
func (b board) open(value string) (said answer, ok bool) {
	if len(value) < stampLength {
		return said, false
	}
	plain, ok := b.sealer.Open([]byte(value[stampLength:]), []byte(b.key+value[:stampLength]))
	if !ok || cbor.Unmarshal(plain, &said) != nil {
		return said, false
	}
	return said, said.stamp() == value[:stampLength]
}
