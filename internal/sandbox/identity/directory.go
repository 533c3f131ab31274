package identity

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

// directory holds the people, in memory. What it hands out are copies; changes
// go through change, which is atomic.
type directory struct {
	mu     sync.RWMutex
	people map[string]person
	keys   map[string]string // registration key → person: one key, one person
}

func newDirectory() *directory {
	d := &directory{}
	d.reset()
	return d
}

// reset puts the demo people back as at the start, with new user handles, so that
// a passkey from before cannot be taken for one of theirs.
func (d *directory) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.people, d.keys = map[string]person{}, map[string]string{}
	for _, p := range demoPeople() {
		p.passKey, p.handle = DemoPassword, newHandle()
		p.email = strings.ReplaceAll(p.id, "@sandbox", "@sandbox.example")
		d.people[p.id] = p
	}
}

func newHandle() []byte {
	handle := make([]byte, 64)
	_, _ = rand.Read(handle) // It ends the program rather than return an error.
	return handle
}

// find is the person's copy, or the platform's 404.
func (d *directory) find(id string) (person, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	p, ok := d.people[id]
	if !ok {
		return person{}, errUnknownPerson()
	}
	return p.clone(), nil
}

// change lets act change the person while nobody else does; an error changes
// nothing.
func (d *directory) change(id string, act func(*person) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[id]
	if !ok {
		return errUnknownPerson()
	}
	p = p.clone()
	if err := act(&p); err != nil {
		return err
	}
	d.people[id] = p
	return nil
}

// put makes a person where there is none.
func (d *directory) put(id string, act func(*person)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[id]
	if !ok {
		name, _, _ := strings.Cut(id, "@")
		p = person{id: id, passKey: DemoPassword, displayName: name, status: Active, handle: newHandle()}
	}
	act(&p)
	d.people[id] = p
}

// register adds what the person has registered, each under a name that is free,
// unless its key is somebody's already. Of several only the good ones are added;
// without any it is refused.
func (d *directory) register(id string, at time.Time, made []registration) error {
	return d.change(id, func(p *person) error {
		before := len(p.registrations)
		for _, r := range made {
			if _, taken := d.keys[r.key]; taken {
				continue
			}
			d.keys[r.key] = id
			r.id, r.registered, r.name = uuid.NewString(), at, nameFor(*p, r)
			p.registrations = append(p.registrations, r)
		}
		if len(p.registrations) == before {
			return errTaken()
		}
		return nil
	})
}

// taken reports whether a key is somebody's.
func (d *directory) taken(key string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	_, taken := d.keys[key]
	return taken
}

// use brings up to date what has signed, each registration by itself. If none of
// them can be, it returns the first one's reason.
func (d *directory) use(id string, at time.Time, proofs []proof) error {
	return d.change(id, func(p *person) error {
		var first error
		used := false
		for _, one := range proofs {
			err := p.use(one, at)
			used = used || err == nil
			if first == nil {
				first = err
			}
		}
		if used {
			return nil
		}
		return first
	})
}

// changeRegistration lets act change one registration of the person.
func (d *directory) changeRegistration(id, registrationID string, act func(*registration) error) error {
	return d.change(id, func(p *person) error {
		for i := range p.registrations {
			if p.registrations[i].id == registrationID {
				return act(&p.registrations[i])
			}
		}
		return errUnknownRegistration()
	})
}

// remove takes one registration away from the person and returns it.
func (d *directory) remove(id, registrationID string) (removed registration, err error) {
	err = d.change(id, func(p *person) error {
		i := slices.IndexFunc(p.registrations, func(r registration) bool { return r.id == registrationID })
		if i < 0 {
			return errUnknownRegistration()
		}
		removed = p.registrations[i]
		delete(d.keys, removed.key)
		p.registrations = slices.Delete(p.registrations, i, i+1)
		return nil
	})
	return removed, err
}

func errTaken() error {
	refusal := wire.Conflict("The authenticator is already registered")
	refusal.UAFStatus = int(uaf.StatusUnacceptableAuthenticator)
	return refusal
}

func errUnknownRegistration() error {
	return wire.Refuse(http.StatusNotFound, "FIDO registration not found")
}
