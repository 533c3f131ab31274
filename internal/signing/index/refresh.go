package index

import (
	"context"
	"encoding/binary"
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Refresh reads a package and its documents' visibility from the platform and writes them
// to the index, or removes the package if the platform has none. It is called after each
// of our own writes and for a callback, and drops every remembered 404 of the package. It
// completes even when ctx is cancelled. The error is the platform's or an outage; the
// next sweep does what was left undone.
func (x *Index) Refresh(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	return x.refresh(ctx, id)
}

func (x *Index) refresh(ctx context.Context, id string) error {
	_, err := x.refreshWith(ctx, id, refreshOptions{miss: forgetMisses, visibility: true, tombstone: true})
	return err
}

// Correct compares the index with a package that was just read from the platform under
// the grant g, nil for one that is gone there, and refreshes it if they differ. part says
// that read may lack members or have more than a package has. changed reports whether they
// differed; the error is Refresh's.
//
// Where the record that g was decided by matches, Redis is not asked again; the same answer
// is compared with the same record once.
func (x *Index) Correct(ctx context.Context, id string, g Grant, read jsontext.Value, part bool) (changed bool, err error) {
	if g.record != nil && read != nil {
		if same, err := x.matches(id, g.record, read, part); same || err != nil {
			return false, err
		}
	}
	before, err := x.peek(ctx, id)
	if err != nil {
		return false, err
	}
	if read == nil && before == nil {
		return false, nil
	}
	if read != nil && before != nil {
		same, err := x.matches(id, before, read, part)
		if same || err != nil {
			return false, err
		}
	}
	return true, x.Refresh(ctx, id)
}

// matches reports whether the record of the package of that id has the policy of the
// package read.
func (x *Index) matches(id string, r *record, read jsontext.Value, part bool) (bool, error) {
	if part {
		return r.matchesPackage(read, true)
	}
	fingerprint := binary.NativeEndian.AppendUint64(nil, maphash.Bytes(x.seed, r.sealed))
	fingerprint = binary.NativeEndian.AppendUint64(fingerprint, maphash.Bytes(x.seed, read))
	if _, known := x.compared.Get(id, fingerprint); known {
		return true, nil
	}
	same, err := r.matchesPackage(read, false)
	if same {
		x.compared.Put(id, fingerprint, struct{}{})
	}
	return same, err
}

// matchesPackage reports whether p is the policy of the package read.
func (p *policy) matchesPackage(read jsontext.Value, part bool) (bool, error) {
	said, err := readPackage(read)
	if err != nil {
		return false, upstream.Unreadable(err)
	}
	now := said.policy
	now.Visibility, now.VisibilityAt = p.Visibility, p.VisibilityAt
	if part {
		now.Digest = p.Digest
	}
	bounded, err := now.bounded()
	return err == nil && bounded.equal(p), err
}

// Gone removes a package that was deleted at the platform. It completes even when ctx is
// cancelled. The error is an outage.
func (x *Index) Gone(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	for {
		v, err := x.read(ctx, id, access.Person{})
		if err != nil {
			return err
		}
		gone := change{name: v.name, counter: v.counter, before: v.policy(), tombstone: true, miss: allMisses, now: x.now()}
		if done, err := x.write(ctx, v.space, gone); done || err != nil {
			return err
		}
	}
}

// refreshOptions say how refreshWith treats one package.
type refreshOptions struct {
	// person is the person for whom it is refreshed, if any.
	person access.Person
	// miss returns the person for whom to remember a 404, given the policy, nil if there
	// is no package; or one of keepMisses and forgetMisses.
	miss func(*access.Space, *policy) string
	// visibility asks the platform for the visibility of documents even if it is known.
	visibility bool
	// tombstone leaves a tombstone even for a package that the index never had.
	tombstone bool
}

// forgetMisses drops every remembered 404 of the package, so that everyone asks again.
func forgetMisses(*access.Space, *policy) string { return allMisses }

// keepMisses leaves the remembered 404s of the package as they are.
func keepMisses(*access.Space, *policy) string { return "" }

// refreshWith reads a package from the platform and writes the answer, again and again
// until nobody else wrote meanwhile. It returns the package's policy, nil if the platform
// has no such package.
func (x *Index) refreshWith(ctx context.Context, id string, how refreshOptions) (*policy, error) {
	for {
		v, err := x.read(ctx, id, how.person)
		if err != nil {
			return nil, err
		}
		c, err := x.ask(ctx, id, v, how)
		if err != nil {
			return nil, err
		}
		if done, err := x.write(ctx, v.space, c); done || err != nil {
			return c.full, err
		}
	}
}

// ask asks the platform for the package and returns the change to its record.
func (x *Index) ask(ctx context.Context, id string, v snapshot, how refreshOptions) (change, error) {
	value, err := x.platform.Package(ctx, id)
	switch {
	case fault.Is(err, fault.RequestNotFound):
		return change{
			name: v.name, counter: v.counter, before: v.policy(), now: x.now(),
			tombstone: how.tombstone || v.record != nil, miss: how.miss(v.space, nil),
		}, nil
	case err != nil:
		return change{}, err
	}
	said, err := readPackage(value)
	if err != nil {
		return change{}, upstream.Unreadable(err)
	}
	x.saw(ctx, value)
	c := x.changeTo(said, v)
	c.miss = how.miss(v.space, c.after)
	if how.visibility || c.after.standing(how.person) == Signer && c.after.visibilityStale(x.now(), x.sweep) {
		err = x.askVisibility(ctx, c.after)
	}
	if how.visibility && upstream.IsUnreadable(err) { // all documents are hidden until it is known
		x.note(ctx, id, c.after.Updated, err)
		err = nil
	}
	if err == nil {
		err = c.bound()
	}
	return c, err
}

// changeTo returns the change that makes the record equal to the platform's answer; the
// known visibility of documents stays while the package was not updated.
func (x *Index) changeTo(said packageAnswer, v snapshot) change {
	after := &said.policy
	if before := v.policy(); before != nil && before.Updated == after.Updated {
		after.Visibility, after.VisibilityAt = before.Visibility, before.VisibilityAt
	}
	return change{name: v.name, counter: v.counter, before: v.policy(), after: after, item: said.item, boundErr: said.boundErr, now: x.now()}
}

// bound cuts the change's policy to the size that a record can hold; full keeps the
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
