package audit

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

const (
	// keptDone limits the actions that a person is shown, keptTried the failed sign-ins,
	// which anybody can cause and which must not push the actions out.
	keptDone, keptTried = 20, 5
	// doneLife and triedLife are how long the lists are kept after their last event.
	doneLife, triedLife = 90 * 24 * time.Hour, 7 * 24 * time.Hour
)

// recent keeps the last events of each person in Redis, sealed for that person.
//
//	cs:a:name:done   the person's actions, newest first; name is HMAC(person)
//	cs:a:name:tried  sign-ins that failed
type recent struct {
	redis redis.UniversalClient
	keys  seal.Keys
}

// storedEvent is an event as stored for the person's list.
type storedEvent struct {
	At       int64  `cbor:"1,keyasint"` // Unix seconds
	Kind     Kind   `cbor:"2,keyasint"`
	Address  string `cbor:"3,keyasint,omitempty"`
	Device   string `cbor:"4,keyasint,omitempty"`
	Method   string `cbor:"5,keyasint,omitempty"`
	Protocol string `cbor:"6,keyasint,omitempty"`
}

// personal reports whether e is on its person's list: everything done to their account.
// Packages and verifications have a history of their own.
func (e Event) personal() bool {
	return e.Person != "" && e.Kind != PackageChanged && e.Kind != VerificationChanged
}

// eventList is one of a person's lists under one session key.
type eventList struct {
	key    string
	sealer seal.Sealer
}

func (r recent) lists(person string, tried bool) []eventList {
	name := ":done"
	if tried {
		name = ":tried"
	}
	var all []eventList
	for _, key := range r.keys.Each() {
		sealer := key.For("countersign recent events of " + person)
		all = append(all, eventList{"cs:a:" + sealer.Name("events") + name, sealer})
	}
	return all
}

// add queues on p the commands that put e on its person's list.
func (r recent) add(ctx context.Context, p redis.Pipeliner, e Event) {
	tried := e.Kind == SignInRefused
	count, life := int64(keptDone), doneLife
	if tried {
		count, life = keptTried, triedLife
	}
	plain, err := cbor.Marshal(storedEvent{At: e.At.Unix(), Kind: e.Kind, Address: e.Address, Device: e.Device, Method: e.Method, Protocol: e.Protocol})
	if err != nil {
		return // of plain texts, which encode
	}
	s := r.lists(e.Person, tried)[0]
	p.LPush(ctx, s.key, s.sealer.Seal(plain, []byte(s.key)))
	p.LTrim(ctx, s.key, 0, count-1)
	p.Expire(ctx, s.key, life)
}

// of returns the last events of person, the newest first. The error is an outage.
func (r recent) of(ctx context.Context, person string) ([]Event, error) {
	lists := append(r.lists(person, false), r.lists(person, true)...)
	p := r.redis.Pipeline()
	replies := make([]*redis.StringSliceCmd, len(lists))
	for i, s := range lists {
		replies[i] = p.LRange(ctx, s.key, 0, keptDone-1)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redisdb.Unavailable(ctx, "audit: read recent events", err)
	}
	var all []Event
	for i, s := range lists {
		for _, sealed := range replies[i].Val() {
			plain, ok := s.sealer.Open([]byte(sealed), []byte(s.key))
			var k storedEvent
			if !ok || cbor.Unmarshal(plain, &k) != nil {
				continue
			}
			all = append(all, Event{
				At: time.Unix(k.At, 0).UTC(), Kind: k.Kind, Person: person, Address: k.Address, Device: k.Device, Method: k.Method, Protocol: k.Protocol,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return cmp.Compare(b.At.Unix(), a.At.Unix()) })
	return all[:min(len(all), keptDone)], nil
}
