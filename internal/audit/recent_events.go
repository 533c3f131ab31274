package audit

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

const (
	// keptDone and keptBytes limit the actions that are kept of a person, keptTried what
	// failed, which others can cause and which must not push the actions out.
	keptDone, keptBytes, keptTried = 50, 8 << 10, 5
	// shownToThemselves limits the actions that a person is shown.
	shownToThemselves = 20
	// doneLife and triedLife are how long the lists are kept after their last event.
	doneLife, triedLife = 90 * 24 * time.Hour, 7 * 24 * time.Hour
	// knownDevices limits the remembered devices of a person to those used last, and
	// devicesLife limits how long they are remembered after the last sign-in.
	knownDevices = 20
	devicesLife  = 400 * 24 * time.Hour
)

// recent keeps the last events of each person in Redis, sealed for that person, and the
// devices that they signed in from.
//
//	cs:a:name:done     the person's actions, newest first; name is HMAC(person)
//	cs:a:name:tried    sign-ins and proofs of browsers that failed
//	cs:a:name:devices  the devices, named by HMAC, by the time of their last sign-in
type recent struct {
	redis redis.Cmdable
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
	// By names the person who acted, if it was another one.
	By      string `cbor:"7,keyasint,omitempty"`
	Subject string `cbor:"8,keyasint,omitempty"`
	Reason  string `cbor:"9,keyasint,omitempty"`
	KeyKind string `cbor:"10,keyasint,omitempty"`
	AAGUID  string `cbor:"11,keyasint,omitempty"`
	// Provider is the name of the model at that time.
	Provider string `cbor:"12,keyasint,omitempty"`
}

// read returns the event as kept on person's list.
func (k storedEvent) read(person string) Event {
	e := Event{
		At: time.Unix(k.At, 0).UTC(), Kind: k.Kind, Person: person, Address: k.Address, Device: k.Device,
		Method: k.Method, Protocol: k.Protocol, Subject: k.Subject, Reason: k.Reason,
		Authenticator: Authenticator{KeyKind: k.KeyKind, AAGUID: k.AAGUID, Provider: k.Provider},
	}
	if k.By != "" {
		e.Person, e.OnBehalfOf = k.By, person
	}
	return e
}

// listedFor returns the person on whose list e is: everything done to their account; "" if
// it is on nobody's. Packages and verifications have a separate history, sessions say
// themselves that they are bound, and what an operator has read must not push out what was done.
func (e Event) listedFor() string {
	switch e.Kind {
	case SessionBound, PackageChanged, VerificationChanged, SigningOpened, SigningUnmet, OperatorRead, RetentionAnnounced:
		return ""
	}
	if e.Kind.helps() {
		return e.OnBehalfOf
	}
	return e.Person
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

// keepScript puts ARGV[1] at the head of a list of ARGV[2] values and ARGV[3] bytes at
// most, and lets the list live for ARGV[4] seconds.
var keepScript = redis.NewScript(`
redis.call('LPUSH', KEYS[1], ARGV[1])
local bytes, kept = 0, 0
for i, value in ipairs(redis.call('LRANGE', KEYS[1], 0, ARGV[2] - 1)) do
  bytes = bytes + #value
  if bytes > tonumber(ARGV[3]) then break end
  kept = i
end
redis.call('LTRIM', KEYS[1], 0, math.max(kept, 1) - 1)
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1`)

// add queues on p the commands that put e on a person's list.
func (r recent) add(ctx context.Context, p redis.Pipeliner, e Event) {
	tried := e.Kind == SignInRefused || e.Kind == SessionUnproven
	count, life := int64(keptDone), doneLife
	if tried {
		count, life = keptTried, triedLife
	}
	k := storedEvent{At: e.At.Unix(), Kind: e.Kind, Address: e.Address, Device: e.Device, Method: e.Method, Protocol: e.Protocol, Subject: e.Subject, KeyKind: e.KeyKind, AAGUID: e.AAGUID, Provider: e.Provider}
	if e.OnBehalfOf != "" {
		k.By = e.Person
	}
	if !tried { // why it failed is for the trail alone
		k.Reason = e.Reason
	}
	plain, err := cbor.Marshal(k)
	if err != nil {
		return // of plain texts, which encode
	}
	s := r.lists(e.listedFor(), tried)[0]
	keepScript.Eval(ctx, p, []string{s.key}, s.sealer.Seal(plain, []byte(s.key)), count, keptBytes, int64(life.Seconds()))
}

// of returns the last events of person's account, the newest first, most of them. The error
// is an outage.
func (r recent) of(ctx context.Context, person string, most int) ([]Event, error) {
	lists := append(r.lists(person, false), r.lists(person, true)...)
	p := r.redis.Pipeline()
	replies := make([]*redis.StringSliceCmd, len(lists))
	for i, s := range lists {
		replies[i] = p.LRange(ctx, s.key, 0, int64(most)-1)
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
			all = append(all, k.read(person))
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return cmp.Compare(b.At.Unix(), a.At.Unix()) })
	return all[:min(len(all), most)], nil
}

// deviceLookup holds the replies of Redis that tell whether a sign-in's device is known.
type deviceLookup struct{ added, known *redis.IntCmd }

// addDevice queues on p the commands that record the device of e, a sign-in.
func (r recent) addDevice(ctx context.Context, p redis.Pipeliner, e Event) deviceLookup {
	s := r.lists(e.Person, false)[0]
	name := strings.TrimSuffix(s.key, ":done") + ":devices"
	seen := deviceLookup{
		added: p.ZAdd(ctx, name, redis.Z{Score: float64(e.At.Unix()), Member: s.sealer.Name("device " + device(e))}),
		known: p.ZCard(ctx, name),
	}
	p.ZRemRangeByRank(ctx, name, 0, -knownDevices-1)
	p.Expire(ctx, name, devicesLife)
	return seen
}

// isNew reports whether the person signed in from this device for the first time and had
// signed in from another before.
func (s deviceLookup) isNew() bool { return s.added.Val() == 1 && s.known.Val() > 1 }

// device returns the text that identifies e's device: its User-Agent without digits and
// dots, which change with each release, and its network, an IPv4 /16 or an IPv6 /32.
func device(e Event) string {
	kind := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '.' {
			return -1
		}
		return r
	}, e.Device)
	ip, err := netip.ParseAddr(e.Address)
	if err != nil {
		return kind
	}
	bits := 32
	if ip = ratelimit.Client(ip); ip.Is4() {
		bits = 16
	}
	return kind + " " + netip.PrefixFrom(ip, bits).Masked().String()
}
