package index

import (
	"context"

	"countersign/internal/signing"
)

// Nobody follows.
type Nobody struct{}

func (Nobody) Read(context.Context, signing.Package) {}
func (Nobody) Ended(context.Context, End) error      { return nil }
func (Nobody) Swept(context.Context)                 {}

// SweepNow sweeps, as Run does.
func (x *Index) SweepNow(ctx context.Context) error { return x.sweepOnce(ctx, Nobody{}) }

// ProcessCallbacksNow processes callbacks, as Run does.
func (x *Index) ProcessCallbacksNow(ctx context.Context) error {
	return x.processCallbacks(ctx, Nobody{})
}

// WriteFolded writes the record of a package as a release did that compared addresses by fold.
func (x *Index) WriteFolded(ctx context.Context, id string, fold func(string) string) error {
	v, err := x.read(ctx, id)
	if err != nil {
		return err
	}
	p, err := x.platform.Package(ctx, id)
	if err != nil {
		return err
	}
	said, err := readPackage(p)
	if err != nil {
		return err
	}
	said.policy.Sender = fold(said.policy.Sender)
	for _, r := range said.policy.Roles {
		for i := range r.Signers {
			r.Signers[i].Email = fold(r.Signers[i].Email)
		}
	}
	c := x.changeTo(said, v)
	if err := c.bound(); err != nil {
		return err
	}
	_, err = x.write(ctx, v.space, c)
	return err
}

// AddLate has callbacks of these packages wait in memory, and reports whether there is room
// for them, or somebody has been told already that there is not.
func (x *Index) AddLate(ids ...string) bool { return x.late.add(ids...) }

// LateCount returns the number of packages of which callbacks wait in memory.
func (x *Index) LateCount() int64 { return x.late.count() }
