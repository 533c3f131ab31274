package index

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// Refresh reads a package from the platform anew, with its documents' visibility, and
// writes it to the index, or takes it out where the platform has none: after each of
// our own writes, and for a callback. Whoever the package was not found for may ask
// again. It is carried through when ctx is cancelled. The error is the platform's or an
// outage; the next sweep does what was left undone.
func (x *Index) Refresh(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	return x.refresh(ctx, id)
}

func (x *Index) refresh(ctx context.Context, id string) error {
	_, err := x.settle(ctx, id, settling{misses: nobody, visibility: true, bury: true})
	return err
}

// Correct brings the index in step with what somebody has just read of a package, nil for
// one that the platform does not have any more: where the index has it otherwise, it is
// read anew. part says that members may be missing or more than a package has. changed
// reports whether the index had it otherwise; the error is Refresh's.
func (x *Index) Correct(ctx context.Context, id string, read jsontext.Value, part bool) (changed bool, err error) {
	before, err := x.peek(ctx, id)
	if err != nil {
		return false, err
	}
	if read == nil && before == nil {
		return false, nil
	}
	if read != nil && before != nil {
		same, err := before.says(read, part)
		if same || err != nil {
			return false, err
		}
	}
	return true, x.Refresh(ctx, id)
}

// says reports whether the policy is what the platform says now, as far as a package that
// was read tells.
func (p *policy) says(read jsontext.Value, part bool) (bool, error) {
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

// Gone takes a package out of the index that was deleted at the platform. It is carried
// through when ctx is cancelled. The error is an outage.
func (x *Index) Gone(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), access.RefreshWithin)
	defer cancel()
	for {
		v, err := x.read(ctx, id, access.Person{})
		if err != nil {
			return err
		}
		gone := change{name: v.name, counter: v.counter, before: v.policy(), bury: true, misses: everybody, now: x.now()}
		if done, err := x.write(ctx, v.space, gone); done || err != nil {
			return err
		}
	}
}

// settling says how a package is brought in step with the platform.
type settling struct {
	// person is whom it is done for, if anybody.
	person access.Person
	// misses says who misses the package, given its policy, nil for none.
	misses func(*access.Space, *policy) string
	// visibility has the platform asked for it, even where it is known.
	visibility bool
	// bury leaves a tombstone for a package that the index never had.
	bury bool
}

// nobody has everybody who missed the package ask again.
func nobody(*access.Space, *policy) string { return everybody }

// unchanged leaves who missed the package as it is.
func unchanged(*access.Space, *policy) string { return "" }

// settle reads a package from the platform and writes what it said, again and again
// until nobody else wrote meanwhile. It returns the package's policy, nil where the
// platform has none.
func (x *Index) settle(ctx context.Context, id string, how settling) (*policy, error) {
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
			return c.whole, err
		}
	}
}

// ask is the change that the platform's answer makes.
func (x *Index) ask(ctx context.Context, id string, v view, how settling) (change, error) {
	value, err := x.platform.Package(ctx, id)
	switch {
	case fault.Is(err, fault.RequestNotFound):
		return change{
			name: v.name, counter: v.counter, before: v.policy(), now: x.now(),
			bury: how.bury || v.record != nil, misses: how.misses(v.space, nil),
		}, nil
	case err != nil:
		return change{}, err
	}
	said, err := readPackage(value)
	if err != nil {
		return change{}, upstream.Unreadable(err)
	}
	c := x.changeTo(said, v)
	c.misses = how.misses(v.space, c.after)
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

// changeTo is the change that makes the record what the platform said, with what is
// known of its documents' visibility.
func (x *Index) changeTo(said told, v view) change {
	after := &said.policy
	if before := v.policy(); before != nil && before.Updated == after.Updated {
		after.Visibility, after.VisibilityAt = before.Visibility, before.VisibilityAt
	}
	return change{name: v.name, counter: v.counter, before: v.policy(), after: after, item: said.item, breaks: said.breaks, now: x.now()}
}

// bound makes the change one that a record can hold; whole is the policy before.
func (c *change) bound() (err error) {
	c.whole = c.after
	c.after, err = c.after.bounded()
	c.keep = c.after.equal(c.before)
	return err
}

// askVisibility asks the platform for the visibility of the package's documents, where
// there is any and somebody to hide one from.
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
