package historytest_test

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
)

// broken is a Redis with a fault.
type broken struct {
	*miniredis.Miniredis
	mu      sync.Mutex
	scripts map[string]string // by their SHA-1
	readers map[string]chan struct{}

	restoring sync.WaitGroup
	over      <-chan struct{} // closed after the test
}

// fault carries out a script on its keys instead of Redis, or returns false to leave it
// to Redis.
type fault func(b *broken, peer *server.Peer, script string, keys []string) (done bool)

// brokenRedis returns a Redis whose scripts have a fault. The hook also sees what scripts
// call, while Redis is locked: it must not ask Redis then.
func brokenRedis(t *testing.T, with fault) *miniredis.Miniredis {
	t.Helper()
	b := &broken{Miniredis: miniredis.RunT(t), scripts: map[string]string{}, readers: map[string]chan struct{}{}, over: t.Context().Done()}
	t.Cleanup(b.restoring.Wait)
	b.Server().SetPreHook(func(peer *server.Peer, command string, args ...string) bool {
		script, keys := b.script(command, args)
		return script != "" && with(b, peer, script, keys)
	})
	return b.Miniredis
}

// script returns the script that a command runs, and its keys.
func (b *broken) script(command string, args []string) (script string, keys []string) {
	if command != "EVAL" && command != "EVALSHA" || len(args) < 3 {
		return "", nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if command == "EVAL" {
		name := sha1.Sum([]byte(args[0]))
		b.scripts[hex.EncodeToString(name[:])] = args[0]
		return args[0], args[2:]
	}
	return b.scripts[args[0]], args[2:]
}

// spendsInTwoSteps reads a ceremony, and then marks it as spent: who reads it in between
// spends it too.
func spendsInTwoSteps(b *broken, peer *server.Peer, script string, keys []string) bool {
	if !strings.Contains(script, "'spent', 'KEEPTTL'") {
		return false
	}
	record, err := b.Get(keys[1])
	if err != nil || !b.Exists(keys[0]) {
		peer.WriteNull()
		return true
	}
	b.await(keys[1])
	if record != "spent" {
		life := b.TTL(keys[1])
		_ = b.Set(keys[1], "spent") // it is a text
		b.SetTTL(keys[1], life)
	}
	peer.WriteBulk(record)
	return true
}

// await waits until somebody else has read the key, a moment at most.
func (b *broken) await(key string) {
	b.mu.Lock()
	other := b.readers[key]
	if other == nil {
		other = make(chan struct{})
		b.readers[key] = other
	} else {
		delete(b.readers, key)
		close(other)
	}
	b.mu.Unlock()
	select {
	case <-other:
	case <-time.After(200 * time.Millisecond):
	}
}

// restoresSessions lets Redis end a session, and puts it back.
func restoresSessions(b *broken, _ *server.Peer, script string, keys []string) bool {
	if !strings.Contains(script, "'DEL', KEYS[1]") || !strings.Contains(script, "WITHSCORES") {
		return false
	}
	if state, err := b.Get(keys[0]); err == nil {
		b.restoring.Go(func() { b.restore(keys[0], state) })
	}
	return false
}

// restore waits until the key is gone, and puts it back.
func (b *broken) restore(key, value string) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for b.Exists(key) {
		select {
		case <-tick.C:
		case <-b.over:
			return
		}
	}
	_ = b.Set(key, value) // it is a text
}

// keepsNoRecords says that the record of a key was written, and writes none.
func keepsNoRecords(_ *broken, peer *server.Peer, script string, _ []string) bool {
	if !strings.Contains(script, "there ~= ARGV[1]") {
		return false
	}
	peer.WriteInt(1)
	return true
}
