package platform

import (
	"hash/maphash"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// maxApart limits the packages that an apart remembers.
const maxApart = 4096

// apart remembers the ids of packages with which their window could not be read: long ones,
// and those that break a listing. Windows are read around them, and they by themselves, so
// that they are looked for once and not by every walk. Of each it knows what it was when it
// was last read; one that has changed since, and is not long, stands in its window again.
// It is safe for concurrent use.
type apart struct {
	seed maphash.Seed

	mu  sync.Mutex
	ids map[string]uint64 // to a hash of the package; 0 where it was never asked for
}

// neverRead stands for the hash of a package that could not be read by itself either.
const neverRead = 1

func newApart() *apart { return &apart{seed: maphash.MakeSeed(), ids: map[string]uint64{}} }

// add remembers the package of that id.
func (a *apart) add(id []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.ids[string(id)]; known {
		return
	}
	if len(a.ids) >= maxApart {
		clear(a.ids)
	}
	a.ids[string(id)] = 0
}

// isEmpty reports whether there are no such packages.
func (a *apart) isEmpty() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.ids) == 0
}

// has reports whether the package of that id is one.
func (a *apart) has(id []byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.ids[string(id)]
	return known
}

// gone forgets the package of that id.
func (a *apart) gone(id []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.ids, string(id))
}

// failed notes that the package of that id cannot be read by itself either.
func (a *apart) failed(id []byte) {
	a.add(id)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids[string(id)] = neverRead
}

// read notes what the package of that id is. A long one stays apart, or is from now on.
func (a *apart) read(id []byte, value jsontext.Value, long bool) {
	if long {
		a.add(id)
	}
	now := max(maphash.Bytes(a.seed, value), neverRead+1)
	a.mu.Lock()
	defer a.mu.Unlock()
	before, known := a.ids[string(id)]
	switch {
	case !known:
	case long || before == 0:
		a.ids[string(id)] = now
	case before != now:
		delete(a.ids, string(id))
	}
}
