package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// change is a write to one record.
type change struct {
	name      string
	counter   uint64          // before the platform was asked
	before    *policy         // as the record has it; nil without a record
	after     *policy         // bounded; nil if the package is gone
	full      *policy         // after, before it was bounded
	read      signing.Package // as the platform answered; empty if it was not asked or has none
	boundErr  error           // names the bound that the package exceeds, if any
	item      []byte          // after the change; nil if it is too deep for a list
	tombstone bool            // leaves a tombstone even where there was no record
	keep      bool            // the record is as it should be
	now       time.Time
}

func (c change) verb() string {
	switch {
	case c.keep:
		return "keep"
	case c.after != nil:
		return "put"
	case c.tombstone:
		return "tombstone"
	}
	return "drop"
}

// found is "found" if the platform has the package, for writeScript.
func (c change) found() string {
	if c.after == nil {
		return ""
	}
	return "found"
}

// ask asks the platform for the package and returns the change to its record.
func (x *Index) ask(ctx context.Context, id string, v snapshot, how refreshOptions) (change, error) {
	var p signing.Package
	var err error
	if !how.gone {
		p, err = x.platform.Package(ctx, id)
	}
	switch {
	case how.gone, fault.Is(err, fault.RequestNotFound):
		return x.missing(ctx, v, how)
	case err != nil:
		return change{before: v.policy()}, err
	}
	said, err := readPackage(p)
	if err != nil {
		return change{before: v.policy()}, upstream.Unreadable(err)
	}
	c := x.changeTo(said, v)
	c.read = p
	if how.visibility || c.after.accessOf(how.person) == Signer && c.after.visibilityStale(x.now(), x.sweep) {
		err = x.askVisibility(ctx, c.after)
	}
	if how.visibility && (upstream.IsUnreadable(err) || refused(err)) { // all documents are hidden until it is known
		x.unread.Note(ctx, id, c.after.Updated, err)
		err = nil
	}
	if err == nil {
		err = c.bound()
	}
	return c, err
}

// missing returns the change to the record of a package that is gone, or that the platform
// says it does not have: one answer of that kind drops nothing, see access.Namespaces.RecordMissing.
func (x *Index) missing(ctx context.Context, v snapshot, how refreshOptions) (change, error) {
	c := change{
		name: v.name, counter: v.counter, before: v.policy(), now: x.now(),
		tombstone: how.tombstone || v.record != nil,
	}
	if how.gone || v.record == nil {
		return c, nil
	}
	gone, err := x.spaces.RecordMissing(ctx, v.space, v.name, time.Unix(v.record.Created, 0), c.now)
	c.keep = !gone
	return c, err
}

// changeTo returns the change that makes the record equal to the platform's answer; the
// known visibility of documents stays while the package was not updated.
func (x *Index) changeTo(said platformPackage, v snapshot) change {
	after := &said.policy
	if before := v.policy(); before != nil && before.Updated == after.Updated {
		after.Visibility, after.VisibilityAt = before.Visibility, before.VisibilityAt
	}
	return change{name: v.name, counter: v.counter, before: v.policy(), after: after, item: said.item, boundErr: said.boundErr, now: x.now()}
}

// bound shortens the change's policy to the size that a record can hold; full keeps the
// policy before that.
func (c *change) bound() (err error) {
	c.full = c.after
	c.after, err = c.after.bounded()
	c.keep = c.after.equal(c.before)
	return err
}

// askVisibility asks the platform for the visibility of the package's documents, if it
// has any and is with its signers.
func (x *Index) askVisibility(ctx context.Context, p *policy) error {
	if !p.signable() || len(p.Documents) == 0 {
		return nil
	}
	at := x.now().Unix()
	visibility, err := x.platform.Visibility(ctx, p.ID)
	if err != nil {
		return err
	}
	p.VisibilityAt, p.Visibility = at, nil
	if len(visibility) > 0 {
		p.Visibility = visibility
	}
	return nil
}

// write carries out a change; false if another writer was faster.
func (x *Index) write(ctx context.Context, s *access.Namespace, c change) (bool, error) {
	reply, err := x.send(ctx, x.spaces.Redis, s, c)
	if err != nil {
		return false, err
	}
	done, err := reply.Bool()
	if err != nil {
		return false, access.Outage(ctx, "write a package", err)
	}
	return done, nil
}

// send sends the change, or adds it to a pipeline, and logs what the record cannot hold
// in full.
func (x *Index) send(ctx context.Context, to redis.Scripter, s *access.Namespace, c change) (*redis.Cmd, error) {
	var value, end []byte
	var created int64
	verb, effects := c.verb(), effectsOf(s, c)
	if verb == "put" {
		var long bool
		var err error
		if value, end, long, err = c.seal(s.Sealer, effects.ended && x.ends); err != nil {
			return nil, err
		}
		if long {
			c.boundErr = cmp.Or(c.boundErr, errLong)
		}
		if c.boundErr != nil {
			x.unread.Note(ctx, c.after.ID, c.after.Updated, c.boundErr)
		}
		created = c.after.Created
	}
	keys := []string{s.State(), s.Records(), versions(s), ends(s), s.Missing()}
	args := []any{c.counter, c.name, verb, value, created, len(effects.leave), access.Seconds(listLife),
		c.now.UnixMilli(), len(effects.join), access.Seconds(newsLife), end, c.found()}
	var changed []any
	for _, l := range slices.Concat(effects.leave, effects.join) {
		keys = append(keys, s.List(l))
		if v := version(s, l.Of); !slices.Contains(changed, any(v)) {
			changed = append(changed, v)
		}
	}
	for _, n := range effects.news {
		keys, args = append(keys, n.key), append(args, n.field, n.value)
	}
	return writeScript.Eval(ctx, to, keys, append(args, changed...)...), nil
}

// revisionOf returns the counter as records write it.
func revisionOf(counter uint64) string { return fmt.Sprintf("%0*d", revisionDigits, counter) }

// effects are what a change means to the people of a package.
type effects struct {
	// leave and join are the lists that the package leaves and joins.
	leave, join []access.List
	news        []newsEntry
	// ended says that the package has ended with this change.
	ended bool
}

// effectsOf returns the effects of a change. A package that the index did not have before is
// no news, and has not ended now.
func effectsOf(s *access.Namespace, c change) (e effects) {
	if c.keep {
		return e
	}
	was, is := c.before.lists(), c.after.lists()
	for _, l := range was {
		if !slices.Contains(is, l) {
			e.leave = append(e.leave, l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			e.join = append(e.join, l)
		}
	}
	if c.before != nil && c.before.Type == signing.TypePackage {
		e.news = newsOf(s, c)
		e.ended = !c.before.over() && c.after.over() && !c.after.Trashed
	}
	return e
}

// newsEntry sets a field of somebody's news, or deletes it if value is "".
type newsEntry struct{ key, field, value string }

// newsOf returns the news that a change is to each person.
func newsOf(s *access.Namespace, c change) (all []newsEntry) {
	people, value := c.after.people(), "1"
	if c.before.over() {
		people, value = c.before.people(), ""
	}
	if c.before.over() != c.after.over() {
		for _, of := range people {
			all = append(all, newsEntry{s.List(access.List{Of: of, Bucket: newsOver}), c.name, value})
		}
	}
	return append(all, signatureNews(s, c)...)
}

// signatureNews returns the new signatures for the owners of a package, while it is with
// its signers.
func signatureNews(s *access.Namespace, c change) (all []newsEntry) {
	add := func(p *policy, r role, value string) {
		for _, of := range p.owners() {
			all = append(all, newsEntry{s.List(access.List{Of: of, Bucket: newsSignatures}), c.name + " " + s.Sealer.Name("role "+r.ID), value})
		}
	}
	underway := c.after != nil && c.after.Status == signing.StatusSent
	signed := map[string]bool{}
	for _, r := range c.before.Roles {
		signed[r.ID] = r.Signed
		if r.Signed && !underway {
			add(c.before, r, "")
		}
	}
	if !underway || c.before.Status != signing.StatusSent {
		return all
	}
	for _, r := range c.after.Roles {
		if was, known := signed[r.ID]; r.Signed && !was && known && len(r.Signers) > 0 {
			add(c.after, r, s.Sealer.Name(signedBy(r.Signers[0].Email)))
		}
	}
	return all
}
