package identity

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

func named(keys ...string) []registration {
	var made []registration
	for _, key := range keys {
		made = append(made, registration{name: "Key", key: key})
	}
	return made
}

func keysOf(t *testing.T, d *accounts, id string) []string {
	t.Helper()
	p, err := d.find(id)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, r := range p.registrations {
		keys = append(keys, r.key)
	}
	return keys
}

// Of several registrations, those with a free key are added.
func TestAccounts_RegistersFreeKeys(t *testing.T) {
	d := newAccounts(people.New(people.Demo()))
	if err := d.register("alice@sandbox", start, named("a", "b")); err != nil {
		t.Fatal(err)
	}
	if err := d.register("bob@sandbox", start, named("b", "c", "c")); err != nil {
		t.Fatal(err)
	}
	if got := keysOf(t, d, "bob@sandbox"); !slices.Equal(got, []string{"c"}) {
		t.Errorf("bob has %q", got)
	}
	err := d.register("bob@sandbox", start, named("a", "b"))
	if refusal := wire.AsError(err); err == nil || refusal.Status != 409 || refusal.Members[uafStatusCode] != int(uaf.StatusUnacceptableAuthenticator) {
		t.Errorf("nothing was free: %v", err)
	}
	p, _ := d.find("alice@sandbox")
	if p.registrations[0].name != "Key" || p.registrations[1].name != "Key 2" || p.registrations[0].id == p.registrations[1].id {
		t.Errorf("%+v", p.registrations)
	}
	if !d.isRegistered("c") || d.isRegistered("d") {
		t.Error("taken says otherwise")
	}
}

func TestAccounts_KeyGivenOnce(t *testing.T) {
	d := newAccounts(people.New(people.Demo()))
	var all sync.WaitGroup
	var given atomic.Int32
	for range 8 {
		for _, id := range []string{"alice@sandbox", "bob@sandbox"} {
			all.Go(func() {
				if d.register(id, start, named("a")) == nil {
					given.Add(1)
				}
			})
		}
	}
	all.Wait()
	if given.Load() != 1 {
		t.Errorf("registered %d times", given.Load())
	}
}

// Each registration is updated by itself; one is enough.
func TestAccounts_UpdatesEachRegistration(t *testing.T) {
	d := newAccounts(people.New(people.Demo()))
	if err := d.register("alice@sandbox", start, named("a", "b")); err != nil {
		t.Fatal(err)
	}
	p, _ := d.find("alice@sandbox")
	reason := errors.New("it went back")
	stale := assertion{p.registrations[0].id, func(r *registration) error { r.keyID = "changed"; return reason }}
	good := assertion{p.registrations[1].id, func(r *registration) error { r.keyID = "changed"; return nil }}
	gone := assertion{"gone", good.commit}

	if err := d.use("alice@sandbox", start, []assertion{stale, gone}); !errors.Is(err, reason) {
		t.Errorf("%v", err)
	}
	if err := d.use("alice@sandbox", start, []assertion{stale, gone, good}); err != nil {
		t.Error(err)
	}
	p, _ = d.find("alice@sandbox")
	if first := p.registrations[0]; first.keyID != "" || !first.lastUsed.IsZero() {
		t.Errorf("a refused one has changed: %+v", first)
	}
	if second := p.registrations[1]; second.keyID != "changed" || !second.lastUsed.Equal(start) {
		t.Errorf("the good one has not: %+v", second)
	}
}

// find returns copies.
func TestAccounts_FindReturnsCopies(t *testing.T) {
	d := newAccounts(people.New(people.Demo()))
	err := d.change("alice@sandbox", func(p *account) error {
		p.activation.devices = []device{{serial: "s"}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := d.find("alice@sandbox")
	mine.activation.device("s").notificationID = "mine"
	theirs, _ := d.find("alice@sandbox")
	if theirs.activation.devices[0].notificationID != "" {
		t.Error("a copy shares its devices")
	}
	refused := d.change("alice@sandbox", func(p *account) error {
		p.activation.device("s").notificationID = "refused"
		return errUnknownPerson()
	})
	if theirs, _ = d.find("alice@sandbox"); refused == nil || theirs.activation.devices[0].notificationID != "" {
		t.Error("an error has changed something")
	}
}
