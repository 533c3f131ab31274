package signing

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"countersign/internal/sandbox/wire"
)

// account holds the settings of the account.
type account struct {
	// exclusive leaves out the last record of a window.
	exclusive bool
	// maxPage limits the packages that one call lists.
	maxPage int
	// unitsPerInch is the unit of pages for documents uploaded from now on.
	unitsPerInch float64
	// maxDocuments limits the documents of a package, but for the consent, and
	// maxDocumentSize the bytes of one.
	maxDocuments, maxDocumentSize int
}

// The limits of documents (docs/platform.md S4).
const (
	defaultMaxDocuments    = 10
	defaultMaxDocumentSize = 16 << 20
)

// defaultMaxPage is the SDKs' limit (docs/platform.md S5).
const defaultMaxPage = 100

// pointsPerInch is the unit of PDF.
const pointsPerInch = 72

// scale returns the number of units per point.
func (s *store) scale() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account.unitsPerInch / pointsPerInch
}

// store holds the packages. The packages that it returns are never changed. It is safe
// for concurrent use.
type store struct {
	now        func() time.Time
	sendEvents func(*pkg, []event) // called with a package's events in order

	mu       sync.Mutex
	account  account
	packages map[string]*pkg
	ordered  []*pkg         // the same, in the order of their creation
	count    int            // of packages ever made
	version  int            // of everything, for cached listings
	dues     wire.Deadlines // of sent packages: they expire, or their signers are reminded
	listings []listing      // of this version
}

func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account = account{maxPage: defaultMaxPage, unitsPerInch: pointsPerInch, maxDocuments: defaultMaxDocuments, maxDocumentSize: defaultMaxDocumentSize}
	s.packages, s.ordered, s.dues, s.listings = map[string]*pkg{}, nil, wire.Deadlines{}, nil
	s.version++
}

// create stores a new package, which its maker must not change any more.
func (s *store) create(p *pkg, by actor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	p.number, p.site = s.count, by.site
	s.recordEvents(p, eventsBetween(nil, p, by, s.now()))
	s.put(p)
}

// recordEvents records events of a package that is not stored yet, and sends them; s.mu is
// held.
func (s *store) recordEvents(p *pkg, events []event) {
	for i, e := range events {
		if events[i].about = p.signer(party{roleID: e.roleID}).Name; e.user.Email == "" {
			events[i].user = p.signer(e.by.party)
		}
	}
	p.events = append(slices.Clip(p.events), events...)
	s.sendEvents(p, events)
}

// add stores new packages without sending events. Their maker must not change them any
// more.
func (s *store) add(made ...*pkg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range made {
		s.count++
		p.number = s.count
		s.put(p)
	}
}

// find returns the package, or the platform's 404.
func (s *store) find(id string) (*pkg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.present(id)
}

// present returns the package as it is now, or the platform's 404; s.mu is held.
func (s *store) present(id string) (*pkg, error) {
	s.expire()
	p, ok := s.packages[id]
	if !ok {
		return nil, unknown("package")
	}
	return p, nil
}

// record records an event of a package, unless act fails.
func (s *store) record(id string, by actor, act func(*pkg) (event, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.present(id)
	if err != nil {
		return err
	}
	e, err := act(p)
	if err != nil {
		return err
	}
	e.at, e.by = dateOf(s.now()), by
	changed := *p
	s.recordEvents(&changed, []event{e})
	s.replace(&changed)
	return nil
}

// change lets act change a package under a lock; after an error nothing is changed.
func (s *store) change(id string, by actor, act func(*pkg) error) (*pkg, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.present(id)
	if err != nil {
		return nil, err
	}
	changed := p.clone()
	if err := act(changed); err != nil {
		return nil, err
	}
	now := s.now()
	if err := changed.complete(now); err != nil {
		return nil, err
	}
	changed.Updated, changed.site = dateOf(now), cmp.Or(by.site, p.site)
	s.recordEvents(changed, eventsBetween(p, changed, by, now))
	s.put(changed)
	return changed, nil
}

// remove deletes a package for good.
func (s *store) remove(id string, by actor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, err := s.present(id)
	if err != nil {
		return err
	}
	s.sendEvents(p, []event{{name: packageDeleted, at: dateOf(s.now()), by: by}})
	delete(s.packages, id)
	i, _ := s.place(p)
	s.ordered = slices.Delete(s.ordered, i, i+1)
	s.version++
	return nil
}

// place returns a package's index in the order, or the index at which it belongs.
func (s *store) place(p *pkg) (int, bool) {
	return slices.BinarySearchFunc(s.ordered, p.number, func(one *pkg, number int) int { return cmp.Compare(one.number, number) })
}

// replace stores p instead of its former state; s.mu is held.
func (s *store) replace(p *pkg) {
	s.packages[p.ID] = p
	if i, known := s.place(p); known {
		s.ordered[i] = p
	} else {
		s.ordered = append(s.ordered, p)
	}
}

// put stores p and its next deadline; s.mu is held.
func (s *store) put(p *pkg) {
	s.replace(p)
	s.version++
	if at, ok := p.nextDeadline(); ok {
		s.dues.Add(at, p.ID)
	}
}

// advance carries out all that has become due.
func (s *store) advance() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
}

// expire carries out all that has become due: reminders are sent, and packages whose due
// date has passed expire; s.mu is held.
func (s *store) expire() {
	now := s.now()
	for id, ok := s.dues.Take(now.After); ok; id, ok = s.dues.Take(now.After) {
		p, ok := s.packages[id]
		if !ok {
			continue
		}
		if at, waits := p.nextDeadline(); !waits || !now.After(at) {
			continue
		}
		late, events := p.passDeadline(now)
		s.recordEvents(late, events)
		s.put(late)
	}
}
