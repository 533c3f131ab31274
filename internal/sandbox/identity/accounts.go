package identity

import (
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

// accounts hold the identity platform's data about people, in memory. They return copies;
// changes go through change, which is atomic. A person is found in any spelling of their
// name, and stored under the canonical one.
type accounts struct {
	people *people.Directory

	mu   sync.Mutex
	kept map[string]account
	keys map[string]string // registration key → person: one key, one person
}

func newAccounts(who *people.Directory) *accounts {
	a := &accounts{people: who}
	a.reset()
	return a
}

// reset forgets everything, with the user handles, so that an earlier passkey cannot
// match anybody.
func (a *accounts) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept, a.keys = map[string]account{}, map[string]string{}
}

// find returns a copy of the person's account, or the platform's 404.
func (a *accounts) find(id string) (found account, err error) {
	err = a.change(id, func(one *account) error {
		found = one.clone()
		return nil
	})
	return found, err
}

// change lets act change the person's account under a lock; after an error nothing is
// changed. The person's own data cannot be changed this way.
func (a *accounts) change(id string, act func(*account) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	person, ok := a.people.Find(id)
	if !ok {
		return errUnknownPerson()
	}
	one := a.kept[person.ID].clone()
	one.Person = person
	if one.handle == nil {
		one.handle = newHandle()
	}
	if err := act(&one); err != nil {
		return err
	}
	a.kept[person.ID] = one
	return nil
}

// register adds new registrations, each under a free name, unless its key is already
// registered. It adds only the good ones; if there are none, it fails.
func (a *accounts) register(id string, at time.Time, made []registration) error {
	return a.change(id, func(one *account) error {
		before := len(one.registrations)
		for _, r := range made {
			if _, isRegistered := a.keys[r.key]; isRegistered {
				continue
			}
			a.keys[r.key] = one.ID
			r.id, r.registered, r.name = uuid.NewString(), at, nameFor(*one, r)
			one.registrations = append(one.registrations, r)
		}
		if len(one.registrations) == before {
			return errTaken()
		}
		return nil
	})
}

// isRegistered reports whether a key is registered.
func (a *accounts) isRegistered(key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, isRegistered := a.keys[key]
	return isRegistered
}

// use updates the registrations that signed, each by itself. If none of them can be
// updated, it returns the first one's error.
func (a *accounts) use(id string, at time.Time, assertions []assertion) error {
	return a.change(id, func(one *account) error {
		var first error
		used := false
		for _, p := range assertions {
			err := one.use(p, at)
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

// list returns everybody's accounts.
func (a *accounts) list() (all []account) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.kept {
		all = append(all, one.clone())
	}
	return all
}

// rename gives a registration another name.
func (a *accounts) rename(registrationID, name string) error {
	return a.changeRegistration(registrationID, func(one *account, i int) { one.registrations[i].name = name })
}

// remove deletes a registration.
func (a *accounts) remove(registrationID string) error {
	return a.changeRegistration(registrationID, func(one *account, i int) {
		delete(a.keys, one.registrations[i].key)
		one.registrations = slices.Delete(one.registrations, i, i+1)
	})
}

// changeRegistration lets act change the i-th registration of the person whose it is.
func (a *accounts) changeRegistration(registrationID string, act func(one *account, i int)) error {
	owner := ""
	for _, one := range a.list() {
		if slices.ContainsFunc(one.registrations, func(r registration) bool { return r.id == registrationID }) {
			owner = one.ID
		}
	}
	if owner == "" {
		return errUnknownRegistration()
	}
	return a.change(owner, func(one *account) error {
		i := slices.IndexFunc(one.registrations, func(r registration) bool { return r.id == registrationID })
		if i < 0 {
			return errUnknownRegistration()
		}
		act(one, i)
		return nil
	})
}

func errUnknownPerson() error { return wire.Refuse(http.StatusNotFound, userUnknown) }

func errTaken() error {
	return withStatus(wire.Conflict("The authenticator is already registered"), uaf.StatusUnacceptableAuthenticator)
}

func errUnknownRegistration() error {
	return wire.Refuse(http.StatusNotFound, "FIDO registration not found")
}
