package audit

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

const (
	// waitingKey is the stream of the notices that wait to be sent, each sealed.
	waitingKey = "cs:a:waiting"
	// noticesPurpose is what they are sealed for.
	noticesPurpose = "countersign waiting notices"
	// maxNotices limits the notices that wait, about; noticesAtOnce those read at once.
	maxNotices, noticesAtOnce = 10_000, 100
	// lookEvery is the interval at which a node looks for notices that are due.
	lookEvery = time.Second
)

// tellAgain are the pauses between the attempts to send a notice.
var tellAgain = []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour}

// storedNotice is a notice as it waits.
type storedNotice struct {
	At       int64  `cbor:"1,keyasint"` // Unix milliseconds
	Kind     Kind   `cbor:"2,keyasint"`
	Person   string `cbor:"3,keyasint"`
	Email    string `cbor:"4,keyasint"`
	Address  string `cbor:"5,keyasint,omitempty"`
	Language string `cbor:"6,keyasint,omitempty"`
	Request  string `cbor:"7,keyasint,omitempty"`
	Device   string `cbor:"8,keyasint,omitempty"`
}

// sealers returns the sealers of notices that wait: the first seals, every one opens.
func (n *Notices) sealers() (all []seal.Sealer) {
	for _, key := range n.Preferences.keys.Each() {
		all = append(all, key.For(noticesPurpose))
	}
	return all
}

// keep puts a notice of e into Redis, until one node has sent it.
func (n *Notices) keep(ctx context.Context, e Event) error {
	plain, err := cbor.Marshal(storedNotice{e.At.UnixMilli(), e.Kind, e.Person, e.Email, e.Address, e.Language, e.Request, truncate(e.Device, deviceBytes)})
	if err != nil {
		return err
	}
	return n.Preferences.redis.XAdd(ctx, &redis.XAddArgs{Stream: waitingKey, MaxLen: maxNotices, Approx: true, Values: []any{
		"notice", n.sealers()[0].Seal(plain, []byte(waitingKey)), "due", n.Now().UnixMilli(), "attempts", 0,
	}}).Err()
}

// open reads a notice that waits; false for what none of the keys has sealed.
func (n *Notices) open(entry redis.XMessage) (e Event, ok bool) {
	sealed, _ := entry.Values["notice"].(string)
	for _, sealer := range n.sealers() {
		var k storedNotice
		if plain, ok := sealer.Open([]byte(sealed), []byte(waitingKey)); ok && cbor.Unmarshal(plain, &k) == nil {
			return Event{
				At: time.UnixMilli(k.At).UTC(), Kind: k.Kind, Person: k.Person, Email: k.Email, Address: k.Address, Language: k.Language, Request: k.Request, Device: k.Device,
			}, true
		}
	}
	return e, false
}

// Run sends notices that wait until ctx ends, on one node at a time. One that cannot be sent is
// tried again, by this node or another.
func (n *Notices) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := n.work(ctx); err != nil && ctx.Err() == nil {
			n.Logger.DebugContext(ctx, "notices deferred", "cause", err.Error())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-n.wake:
		}
	}
}

// work sends the notices that are due.
func (n *Notices) work(ctx context.Context) error {
	waiting, err := n.Preferences.redis.XLen(ctx, waitingKey).Result()
	if err != nil || waiting == 0 {
		return err
	}
	return n.WithLock(ctx, func(ctx context.Context) error {
		for after := "-"; ctx.Err() == nil; {
			entries, err := n.Preferences.redis.XRangeN(ctx, waitingKey, after, "+", noticesAtOnce).Result()
			if err != nil || len(entries) == 0 {
				return err
			}
			for _, entry := range entries {
				if ctx.Err() != nil {
					break
				}
				if err := n.tell(ctx, entry); err != nil {
					return err
				}
			}
			after = nextID(entries[len(entries)-1].ID)
		}
		return nil
	})
}

// tell sends a notice, if it is due, and takes it off the stream. One that could not be sent goes
// to the stream's end, until there have been too many attempts. An attempt that has begun is
// carried through: the letter may be on its way.
func (n *Notices) tell(ctx context.Context, entry redis.XMessage) error {
	now := n.Now()
	if now.UnixMilli() < numberOf(entry, "due") {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	attempts := numberOf(entry, "attempts")
	e, ok := n.open(entry)
	var failed error
	if ok {
		failed = n.send(ctx, e, attempts == 0)
	}
	p := n.Preferences.redis.TxPipeline()
	p.XDel(ctx, waitingKey, entry.ID)
	again := failed != nil && attempts < int64(len(tellAgain)) && !fault.Is(failed, fault.RequestRate)
	if again && attempts == 0 { // hours before it is given up
		n.Logger.WarnContext(ctx, "notice deferred", "event", string(e.Kind), "request", e.Request, "cause", failed.Error())
	}
	switch {
	case again:
		due := now.Add(tellAgain[attempts]).UnixMilli()
		p.XAdd(ctx, &redis.XAddArgs{Stream: waitingKey, Values: []any{"notice", entry.Values["notice"], "due", due, "attempts", attempts + 1}})
	case failed != nil:
		n.unsent(e, failed.Error())
	}
	if _, err := p.Exec(ctx); err != nil {
		return redisdb.Unavailable(ctx, "audit: take a notice off", err)
	}
	return nil
}

// nextID returns the id of a stream that follows id.
func nextID(id string) string {
	at, text, _ := strings.Cut(id, "-")
	number, _ := strconv.ParseUint(text, 10, 64)
	return at + "-" + strconv.FormatUint(number+1, 10)
}

// numberOf returns a number of an entry; 0 if it has none.
func numberOf(entry redis.XMessage, name string) int64 {
	text, _ := entry.Values[name].(string)
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
