package index

import (
	"context"
	"encoding/binary"
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
	"countersign/internal/upstream"
)

// Correct compares the index with a package that was just read from the platform under
// the grant g, nil for one that is gone there, and refreshes it if they differ. part says
// that read may lack members or have more than a package has. changed reports whether they
// differed; the error is Refresh's.
//
// Where the record that g was decided by matches, Redis is not asked again; the same answer
// is compared with the same record once.
func (x *Index) Correct(ctx context.Context, id string, g Grant, read jsontext.Value, part bool) (changed bool, err error) {
	if g.record != nil && read != nil {
		if g.record.stale {
			return false, nil
		}
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
		if before.stale { // it was changed after g was decided: Run, or who asks again, reads it
			return true, nil
		}
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
	found, err := signing.ReadPackage(read)
	if err != nil {
		return false, err
	}
	said, err := readPackage(found)
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
