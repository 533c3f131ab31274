package signing

import (
	"slices"
	"sync"
	"time"
)

// account is how the account is set up.
type account struct {
	// exclusive leaves the last record of a window out.
	exclusive bool
	// maxPage is the most packages that one call lists.
	maxPage int
}

// defaultMaxPage is the SDKs' limit (signing facts, 2.4).
const defaultMaxPage = 100

// store holds the packages. Those that it hands out are never changed. It is
// safe for concurrent use.
type store struct {
	now func() time.Time

	mu       sync.Mutex
	account  account
	packages map[string]*pkg
	count    int        // of packages that were ever made
	version  int        // of everything, for listings that are kept
	dues     []deadline // of packages that may expire, the next one first
	listing  *listing   // the last one
}

// deadline is when a package expires.
type deadline struct {
	at time.Time
	id string
}

func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account = account{maxPage: defaultMaxPage}
	s.packages, s.dues, s.listing = map[string]*pkg{}, nil, nil
	s.version++
}

// add keeps new packages, which their maker must not change any more.
func (s *store) add(made ...*pkg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range made {
		s.count++
		p.number = s.count
		s.put(p)
	}
}

// find is the package, or the platform's 404.
func (s *store) find(id string) (*pkg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	p, ok := s.packages[id]
	if !ok {
		return nil, unknown("package")
	}
	return p, nil
}

// change lets act change a package while nobody else does; an error changes
// nothing.
func (s *store) change(id string, act func(*pkg) error) (*pkg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	p, ok := s.packages[id]
	if !ok {
		return nil, unknown("package")
	}
	changed := p.clone()
	if err := act(changed); err != nil {
		return nil, err
	}
	now := s.now()
	if err := changed.complete(now); err != nil {
		return nil, err
	}
	changed.Updated = dateOf(now)
	s.put(changed)
	return changed, nil
}

// remove forgets a package for good.
func (s *store) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.packages[id]; !ok {
		return unknown("package")
	}
	delete(s.packages, id)
	s.version++
	return nil
}

// put keeps p; s.mu is held.
func (s *store) put(p *pkg) {
	s.packages[p.ID] = p
	s.version++
	if p.Due != nil && p.Status == sent {
		due := deadline{at: p.Due.at, id: p.ID}
		i, _ := slices.BinarySearchFunc(s.dues, due, func(a, b deadline) int { return a.at.Compare(b.at) })
		s.dues = slices.Insert(s.dues, i, due)
	}
}

// expire gives the packages whose due date has passed their status; s.mu is
// held.
func (s *store) expire() {
	now := s.now()
	for len(s.dues) > 0 && s.dues[0].at.Before(now) {
		p, ok := s.packages[s.dues[0].id]
		s.dues = s.dues[1:]
		if ok && p.Status == sent && p.Due != nil && p.Due.at.Before(now) {
			late := *p
			late.Status, late.Updated = expired, dateOf(now)
			s.packages[p.ID] = &late
			s.version++
		}
	}
}
