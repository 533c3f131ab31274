package index

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"countersign/internal/access"
	"countersign/internal/payload"
	"countersign/internal/signing"
)

const (
	// followAfter is how long Run leaves a package that was just changed, or that a callback
	// is about: what changes several times in a row is read once.
	followAfter = 100 * time.Millisecond
	// settleWithin limits how long a list waits for packages that were just changed.
	settleWithin = 5 * time.Second
	// pendingLife limits how long somebody's list remembers such packages.
	pendingLife = time.Hour
	// pending is the bucket of the packages that were changed since a person last read their
	// list: a hash of records' names and sealed ids.
	pending = "pending"
	// stale is the first digit of the revision of a record that is older than the package.
	stale = '1'
)

// PackageWrite is a change of a package that the platform has carried out for Countersign.
type PackageWrite struct {
	// Package is the id.
	Package string
	// By is the person who changed it.
	By access.Person
	// Made says that it is new, and By's, with that status and type; "" is a draft, and a
	// package.
	Made         bool
	Status, Type string
	// People are e-mail addresses of people that the change may concern, besides those that
	// the index knows.
	People []string
}

// writtenScript marks a record as stale and has Run read its package. It returns nil if Redis
// now holds another index.
//
// KEYS: slot, state, records, events, the hashes of what is pending for people. ARGV: the
// index's key, the name, the sealed id, how many events are kept, the life of what is pending
// in seconds.
var writtenScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local current = redis.call('HGET', KEYS[3], ARGV[2])
local revision = string.format('1%015.0f', redis.call('HINCRBY', KEYS[2], 'counter', 1))
redis.call('HSET', KEYS[3], ARGV[2], revision .. (current and string.sub(current, 17) or ''))
for i = 5, #KEYS do
  redis.call('HSET', KEYS[i], ARGV[2], ARGV[3])
  redis.call('EXPIRE', KEYS[i], ARGV[5])
end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[4], '*', 'id', ARGV[3], 'written', '1')
return 1`)

// RecordWrite has the index forget what it knew of a package that Countersign has just changed at
// the platform, without asking the platform. From then on the record counts for who made the
// package and for operators alone; for everybody else the platform is asked,
// until Run has read the package, and the lists of those that the change concerns read it
// first. It returns whose the package is, as OwnerOf does. It completes even when ctx is
// cancelled. The error is an outage, and the platform's for a package that the index did not
// know: that one is read at once.
func (x *Index) RecordWrite(ctx context.Context, w PackageWrite) (owner string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	v, err := x.read(ctx, w.Package)
	switch {
	case err != nil:
	case v.record == nil && !w.Made:
		return x.NoteChange(ctx, w.Package, false)
	default:
		if v.record == nil {
			_, err = x.write(ctx, v.space, x.made(v, w)) // false: somebody has read it already
		}
		if err == nil {
			err = x.markStale(ctx, v, w)
		}
	}
	if err != nil { // Run reads it once Redis is there
		x.keepLate(ctx, err, w.Package)
		return v.policy().owner(), err
	}
	x.wakeSoon()
	if owner = v.policy().owner(); owner == "" && w.Made {
		owner = w.By.User
	}
	return owner, nil
}

// made returns the change that makes the record of a new package, until it is read.
func (x *Index) made(v snapshot, w PackageWrite) change {
	return change{name: v.name, counter: v.counter, now: x.now(), after: &policy{
		ID: w.Package, Owner: w.By.User, Created: x.now().Unix(),
		Status: cmp.Or(w.Status, signing.StatusDraft), Type: cmp.Or(w.Type, signing.TypePackage),
	}}
}

// markStale carries out writtenScript.
func (x *Index) markStale(ctx context.Context, v snapshot, w PackageWrite) error {
	for {
		s, err := x.spaces.Space(ctx)
		if err != nil {
			return err
		}
		keys := append([]string{s.Slot, s.State(), s.Records(), events(s)}, pendingKeys(s, v.policy(), w)...)
		err = writtenScript.Run(ctx, x.spaces.Redis, keys, s.Sealed, recordName(s, w.Package),
			s.Sealer.Seal([]byte(w.Package), []byte("event")), maxWaiting, access.Seconds(pendingLife)).Err()
		if errors.Is(err, redis.Nil) {
			x.spaces.Invalidate(s)
			continue
		}
		if err != nil {
			return access.Outage(ctx, "mark a package as changed", err)
		}
		return nil
	}
}

// pendingKeys returns the hashes of what is pending for everybody that a change may concern.
func pendingKeys(s *access.Namespace, before *policy, w PackageWrite) []string {
	keys := newsKeys(s, w.By, pending)
	add := func(of string) {
		if key := s.List(access.List{Of: of, Bucket: pending}); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, of := range before.owners() {
		add(of)
	}
	for _, email := range slices.Concat(before.addresses(), w.People) {
		add(signedBy(payload.FoldAddress(email)))
	}
	return keys
}

// settle reads packages that were changed and that the index has not read since; sealed are
// their ids. What cannot be read stays as it is.
func (x *Index) settle(ctx context.Context, s *access.Namespace, sealed []string) {
	ctx, cancel := context.WithTimeout(ctx, settleWithin)
	defer cancel()
	ids := map[string]bool{}
	for _, one := range sealed {
		if id, ok := s.Sealer.Open([]byte(one), []byte("event")); ok {
			ids[string(id)] = true
		}
	}
	var g errgroup.Group
	g.SetLimit(parallel)
	for id := range ids {
		g.Go(func() error {
			if err := x.Refresh(ctx, id); err != nil {
				x.logger.WarnContext(ctx, "changed package not read", "package", id, "cause", err.Error())
			}
			return nil
		})
	}
	_ = g.Wait() // each error was logged
}

// isRead reports whether the record of a package is as new as the package, as far as
// Countersign knows.
func (x *Index) isRead(ctx context.Context, id string) bool {
	r, err := x.peek(ctx, id)
	return err == nil && r != nil && !r.stale
}

// isPendingFor reports whether the package of a stale record was changed in a way that may
// concern the person.
func (x *Index) isPendingFor(ctx context.Context, person access.Person, r *record) (bool, error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return false, err
	}
	p := x.spaces.Redis.Pipeline()
	var found []*redis.BoolCmd
	for _, key := range newsKeys(s, person, pending) {
		found = append(found, p.HExists(ctx, key, r.name))
	}
	if _, err := p.Exec(ctx); err != nil {
		return false, access.Outage(ctx, "read what was changed", err)
	}
	return slices.ContainsFunc(found, (*redis.BoolCmd).Val), nil
}
