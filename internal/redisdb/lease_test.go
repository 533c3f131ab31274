package redisdb_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// aLease is a lease without Wait.
var aLease = redisdb.Lease{Kind: "authenticators", Subject: "alice@sandbox", Life: time.Minute}

// shortLease is a lease that is renewed every 0.2 s.
var shortLease = redisdb.Lease{Kind: "authenticators", Subject: "alice@sandbox", Life: 600 * time.Millisecond}

func TestLease_AcrossNodes(t *testing.T) {
	t.Parallel()
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			db := open(t, o)
			defer db.Close()
			clients := []redis.Cmdable{db.Client, db.Client}
			if !o.Embedded {
				other := open(t, o)
				defer other.Close()
				clients[1] = other.Client
			}
			leases := redisdb.NewLeases(db.Client, []byte("a key"), patience)
			t.Run("one at a time", func(t *testing.T) { oneAtATime(t, clients) })
			t.Run("held by another", func(t *testing.T) { heldByAnother(t, leases) })
			t.Run("given back", func(t *testing.T) { givenBack(t, leases) })
			t.Run("renewed", func(t *testing.T) { renewed(t, leases, db.Client) })
			t.Run("lost to another", func(t *testing.T) { lostToAnother(t, leases, db.Client) })
			t.Run("the client hangs up", func(t *testing.T) { clientHangsUp(t, leases) })
			t.Run("nobody is named", func(t *testing.T) { leaseNamesNobody(t, leases, db.Client) })
		})
	}
}

// oneAtATime lets many goroutines on two nodes wait for one lease.
func oneAtATime(t *testing.T, clients []redis.Cmdable) {
	lease := aLease
	lease.Wait = 15 * time.Second
	var inside, done atomic.Int32
	var wg sync.WaitGroup
	for i := range 10 {
		leases := redisdb.NewLeases(clients[i%2], []byte("a key"), patience)
		wg.Go(func() {
			held, err := leases.WithLease(context.Background(), lease, func(context.Context) error {
				if now := inside.Add(1); now != 1 {
					t.Errorf("%d hold the lease", now)
				}
				defer inside.Add(-1)
				done.Add(1)
				return clients[0].Ping(context.Background()).Err()
			})
			if !held || err != nil {
				t.Errorf("held %v, %v", held, err)
			}
		})
	}
	wg.Wait()
	if got := done.Load(); got != 10 {
		t.Errorf("%d of 10 held the lease", got)
	}
}

func heldByAnother(t *testing.T, leases *redisdb.Leases) {
	hold(t, leases, aLease, func(context.Context) error {
		for _, wait := range []time.Duration{0, 120 * time.Millisecond} {
			lease := aLease
			lease.Wait = wait
			held, err := leases.WithLease(t.Context(), lease, func(context.Context) error {
				t.Error("two hold the lease")
				return nil
			})
			if held || err != nil {
				t.Errorf("after %v: held %v, %v", wait, held, err)
			}
		}
		for _, apart := range []redisdb.Lease{
			{Kind: aLease.Kind, Subject: "bob@sandbox", Life: time.Minute},
			{Kind: "sweep", Subject: aLease.Subject, Life: time.Minute},
			{Kind: "authenticator", Subject: "s" + aLease.Subject, Life: time.Minute},
		} {
			hold(t, leases, apart, nothing)
		}
		return nil
	})
}

func givenBack(t *testing.T, leases *redisdb.Leases) {
	broken := errors.New("broken")
	if held, err := leases.WithLease(t.Context(), aLease, func(context.Context) error { return broken }); !held || !errors.Is(err, broken) {
		t.Errorf("held %v, %v; want the error of the work", held, err)
	}
	hold(t, leases, aLease, nothing)
	func() {
		defer func() { _ = recover() }()
		_, _ = leases.WithLease(t.Context(), aLease, func(context.Context) error { panic("broken") })
	}()
	hold(t, leases, aLease, nothing)
}

// renewed shortens a lease's remaining life and waits until it is renewed.
func renewed(t *testing.T, leases *redisdb.Leases, client redis.Cmdable) {
	lease := redisdb.Lease{Kind: "renewed", Life: 6 * time.Second}
	hold(t, leases, lease, func(context.Context) error {
		key := leaseKey(t, client, lease.Kind)
		if err := client.PExpire(t.Context(), key, 4*time.Second).Err(); err != nil {
			t.Error(err)
		}
		redistest.Eventually(t, "the lease is renewed", func() bool {
			return client.PTTL(t.Context(), key).Val() > 4*time.Second
		})
		return nil
	})
}

// lostToAnother deletes a lease that is held, as a failover may: another holder takes it
// and keeps it, whatever the first does.
func lostToAnother(t *testing.T, leases *redisdb.Leases, client redis.Cmdable) {
	taken, end := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	held, err := leases.WithLease(t.Context(), shortLease, func(ctx context.Context) error {
		redistest.Age(t, client, time.Second)
		other.Go(func() {
			hold(t, leases, aLease, func(context.Context) error {
				close(taken)
				<-end
				return nil
			})
		})
		<-taken
		<-ctx.Done()
		return ctx.Err()
	})
	if !held || !fault.Is(err, fault.ServerUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("held %v, %v; want %s", held, err, fault.ServerUnavailable)
	}
	if held, err := leases.WithLease(t.Context(), aLease, nothing); held || err != nil {
		t.Errorf("the loser gave back what was another's: held %v, %v", held, err)
	}
	close(end)
	other.Wait()
	hold(t, leases, aLease, nothing)
}

func clientHangsUp(t *testing.T, leases *redisdb.Leases) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hold(t, leases, aLease, func(context.Context) error {
		lease := aLease
		lease.Wait = time.Minute
		cancel()
		held, err := leases.WithLease(ctx, lease, nothing)
		if held || !fault.Is(err, fault.RequestCancelled) {
			t.Errorf("while it waits: held %v, %v", held, err)
		}
		return nil
	})
	ctx, cancel = context.WithCancel(t.Context())
	held, err := leases.WithLease(ctx, aLease, func(ctx context.Context) error {
		cancel()
		return ctx.Err()
	})
	if !held || !errors.Is(err, context.Canceled) {
		t.Errorf("while it works: held %v, %v", held, err)
	}
	hold(t, leases, aLease, nothing)
}

func leaseNamesNobody(t *testing.T, leases *redisdb.Leases, client redis.Cmdable) {
	hold(t, leases, aLease, func(context.Context) error {
		key := leaseKey(t, client, aLease.Kind)
		other := redisdb.NewLeases(client, []byte("another key"), patience)
		if strings.Contains(key, "alice") {
			t.Errorf("%s names a person", key)
		}
		hold(t, other, aLease, nothing)
		return nil
	})
}

func TestLease_Outage(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	db := hasty(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	leases := redisdb.NewLeases(db.Client, []byte("a key"), db.Timeout())
	held, err := leases.WithLease(t.Context(), shortLease, func(ctx context.Context) error {
		server.Kill()
		<-ctx.Done()
		return ctx.Err()
	})
	if !held || !fault.Is(err, fault.ServerUnavailable) {
		t.Errorf("killed under the work: held %v, %v", held, err)
	}
	took, err := redistest.NewStopwatch(t).Time(func() (err error) {
		held, err = leases.WithLease(t.Context(), shortLease, func(context.Context) error {
			t.Error("the work is done without a lease")
			return nil
		})
		return err
	})
	if held || !fault.Is(err, fault.ServerUnavailable) || took > prompt {
		t.Errorf("killed before it: held %v after %v, %v", held, took, err)
	}
	server.Restart()
	redistest.Eventually(t, "the lease is to be had again", func() bool {
		held, err := leases.WithLease(t.Context(), shortLease, nothing)
		return held && err == nil
	})
}

func nothing(context.Context) error { return nil }

func hold(t *testing.T, leases *redisdb.Leases, lease redisdb.Lease, work func(context.Context) error) {
	t.Helper()
	if held, err := leases.WithLease(t.Context(), lease, work); !held || err != nil {
		t.Errorf("%s: held %v, %v", lease.Kind, held, err)
	}
}

// leaseKey returns the key of the only lease of kind that is held.
func leaseKey(t *testing.T, client redis.Cmdable, kind string) (found string) {
	t.Helper()
	redistest.EachKey(t, client, func(_ context.Context, _ redis.Cmdable, key string) {
		if strings.Contains(key, kind) {
			found = key
		}
	})
	if found == "" {
		t.Fatalf("no lease of %s", kind)
	}
	return found
}

// slotLease is a lease of three holders.
var slotLease = redisdb.Lease{Kind: "upload", Subject: "alice@sandbox", Life: 45 * time.Second, Slots: 3}

func TestSlots_ThreeAtATime(t *testing.T) {
	t.Parallel()
	for name, options := range dbtest.Kinds {
		t.Run(name, func(t *testing.T) {
			db := open(t, options(t))
			defer db.Close()
			leases := redisdb.NewLeases(db.Client, []byte("a key"), patience)
			t.Run("three at a time", func(t *testing.T) { threeAtATime(t, leases) })
			t.Run("a dead node's", func(t *testing.T) { slotsOfADeadNode(t, leases, db.Client) })
			t.Run("renewed", func(t *testing.T) { slotsAreRenewed(t, leases, db.Client) })
		})
	}
}

// take takes a slot, which must be free.
func take(t *testing.T, leases *redisdb.Leases, lease redisdb.Lease) (release func()) {
	t.Helper()
	release, held, err := leases.Acquire(t.Context(), lease)
	if !held || err != nil {
		t.Fatalf("held %v, %v", held, err)
	}
	return release
}

// full fails the test if a slot is free.
func full(t *testing.T, leases *redisdb.Leases, lease redisdb.Lease) {
	t.Helper()
	if _, held, err := leases.Acquire(t.Context(), lease); held || err != nil {
		t.Errorf("one more: held %v, %v", held, err)
	}
}

// threeAtATime gives back each of the three slots, in another order, and checks that
// another holder can take it.
func threeAtATime(t *testing.T, leases *redisdb.Leases) {
	var all []func()
	for range 3 {
		all = append(all, take(t, leases, slotLease))
	}
	full(t, leases, slotLease)
	other := slotLease
	other.Subject = "bob@sandbox"
	take(t, leases, other)()
	for _, i := range []int{1, 0, 2, 1} {
		all[i]()
		all[i] = take(t, leases, slotLease)
		full(t, leases, slotLease)
	}
	for _, release := range all {
		release()
	}
	if held, err := leases.WithLease(t.Context(), slotLease, func(context.Context) error {
		take(t, leases, slotLease)()
		return nil
	}); !held || err != nil {
		t.Errorf("held %v, %v", held, err)
	}
}

// slotsOfADeadNode checks that the slots of a dead node are free within a minute.
func slotsOfADeadNode(t *testing.T, leases *redisdb.Leases, client redis.Cmdable) {
	var all []func()
	for range 3 {
		all = append(all, take(t, leases, slotLease))
	}
	full(t, leases, slotLease)
	redistest.Age(t, client, time.Minute)
	release := take(t, leases, slotLease)
	for _, late := range all {
		late() // a late release leaves the other holder's slot alone
	}
	take(t, leases, slotLease)()
	take(t, leases, slotLease)()
	release()
}

// slotsAreRenewed shortens the slots' remaining lives and waits until they are renewed.
func slotsAreRenewed(t *testing.T, leases *redisdb.Leases, client redis.Cmdable) {
	lease := slotLease
	lease.Kind, lease.Life, lease.Slots = "slots", 6*time.Second, 1
	release := take(t, leases, lease)
	defer release()
	key := leaseKey(t, client, "{slots")
	if err := client.PExpire(t.Context(), key, 4*time.Second).Err(); err != nil {
		t.Error(err)
	}
	redistest.Eventually(t, "the lease is renewed", func() bool { return client.PTTL(t.Context(), key).Val() > 4*time.Second })
	full(t, leases, lease)
}
