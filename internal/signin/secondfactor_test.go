package signin_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/signin"
)

// atOnce tries a n times at once, each by the client that from returns, and returns how many
// were accepted and how many wait.
func (h *environment) atOnce(n int, a signin.Attempt, from func(i int) signin.Client) (accepted, pending int) {
	h.t.Helper()
	var all sync.WaitGroup
	var in, wait atomic.Int32
	for i := range n {
		all.Go(func() {
			switch result, err := h.Try(h.t.Context(), from(i), a); {
			case err == nil && result.Status == platform.StatusAccepted:
				in.Add(1)
			case err == nil:
				wait.Add(1)
			case !fault.Is(err, fault.RequestRate):
				h.t.Error(err)
			}
		})
	}
	all.Wait()
	return int(in.Load()), int(wait.Load())
}

func fromOne(int) signin.Client    { return here }
func fromMany(i int) signin.Client { return at(fmt.Sprintf("203.0.113.%d", i)) }

// Of right passwords that come at once, as many wait as the limits allow.
func TestSecondFactor_AtOnce(t *testing.T) {
	t.Parallel()
	for want, from := range map[int]func(int) signin.Client{1: fromOne, 3: fromMany} {
		h := build(t)
		h.Limits.Push = limit(t, "3/h")
		h.manage("PUT", "/users/"+alice, map[string]any{"secondFactor": true})
		if _, pending := h.atOnce(15, password(alice, right), from); pending != want {
			t.Errorf("%d wait, want %d", pending, want)
		}
	}
}

// A right password without a second factor is not refused, however many come at once.
func TestSecondFactor_None(t *testing.T) {
	t.Parallel()
	for _, from := range []func(int) signin.Client{fromOne, fromMany} {
		h := build(t)
		h.Limits.Push = limit(t, "3/h")
		if accepted, _ := h.atOnce(12, password(alice, right), from); accepted != 12 {
			t.Errorf("%d of 12 were accepted", accepted)
		}
	}
}

// Pushes that somebody without the password asked for do not let second factors pass
// uncounted, and keep nobody from signing in with the password.
func TestSecondFactor_AfterPushes(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.Push = limit(t, "3/h")
	h.manage("PUT", "/users/"+alice, map[string]any{"secondFactor": true})
	for i := range 3 {
		h.must(at(fmt.Sprintf("192.0.2.%d", i)), push(alice))
	}
	h.must(at("192.0.2.0"), password(alice, right)) // a push waits here
	h.calls("")
	for i := range 10 {
		for range 3 {
			_, _ = h.Try(t.Context(), fromMany(i), password(alice, right))
			_, _ = h.Try(t.Context(), fromMany(i), push(alice))
		}
	}
	if n := h.calls("/login"); n != 2 {
		t.Errorf("%d more pushes were sent, want 2", n)
	}
}

// Wrong passwords use up nothing of what a right one needs.
func TestSecondFactor_WrongPasswords(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.Limits.Push = limit(t, "1/h")
	h.manage("PUT", "/users/"+alice, map[string]any{"secondFactor": true})
	for i := range 5 {
		h.refused(fromMany(i), password(alice, "wrong"), fault.SignInRefused)
		h.refused(here, password(alice, "PIN"), fault.SignInRefused)
	}
	if result := h.must(here, password(alice, right)); result.Status != platform.StatusPending {
		t.Errorf("%+v", result)
	}
}

// A push that did not go out from an address lets no second factor pass that waits there.
func TestSecondFactor_StaysBesidePushes(t *testing.T) {
	t.Parallel()
	h := build(t)
	h.manage("PUT", "/users/"+alice, map[string]any{"secondFactor": true})
	waiting := h.must(here, push(alice))
	h.must(here, password(alice, right))
	h.decide(idOf(waiting), "refuse")
	if _, err := h.poll(t.Context(), with(here, waiting.Session), idOf(waiting)); err != nil {
		t.Fatal(err)
	}
	h.refused(here, password(alice, right), fault.RequestRate)
}
