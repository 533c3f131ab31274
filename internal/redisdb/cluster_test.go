package redisdb

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// enough is a time limit that a command does not reach in tests of something else.
const enough = time.Minute

// pair is a script of two keys, like those of sessions: Redis Cluster answers TRYAGAIN
// while one of the keys has moved and the other has not.
var pair = redis.NewScript(`redis.call('INCR', KEYS[1]); return redis.call('INCR', KEYS[2])`)

// TestCluster_FailoverFollowed stops a master, whose replica takes over. The client's map of
// the cluster never expires, so only the unanswered commands make it read the map again.
func TestCluster_FailoverFollowed(t *testing.T) {
	t.Parallel()
	for name, takeAway := range map[string]func(*redistest.Server){
		"killed":  (*redistest.Server).Kill,
		"stalled": (*redistest.Server).Stall,
	} {
		t.Run(name, func(t *testing.T) {
			nodes := redistest.StartReplicatedCluster(t)
			client := patient(t, nodes, answerTimeout)
			keys := warm(t, client)
			takeAway(nodes.Nodes[1])
			nodes.FailedOver(t, 1)
			for _, key := range keys {
				redistest.Eventually(t, "key "+key+" is written again", func() bool {
					return client.Set(t.Context(), key, "value", 0).Err() == nil
				})
				if err := client.Get(t.Context(), key).Err(); err != nil {
					t.Errorf("key %s: %v", key, err)
				}
			}
		})
	}
}

// TestCluster_FailoverUnderLoad counts the writes while a master is replaced by its replica:
// nothing is written twice.
func TestCluster_FailoverUnderLoad(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartReplicatedCluster(t)
	client := patient(t, nodes, answerTimeout)
	keys := warm(t, client)
	sent := make([]atomic.Int64, len(keys))
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	defer writers.Wait()
	defer stop()
	for i, key := range keys {
		writers.Go(func() {
			for ctx.Err() == nil {
				sent[i].Add(1)
				_ = client.Incr(context.Background(), key+":count").Err()
			}
		})
	}
	nodes.Nodes[2].Kill()
	nodes.FailedOver(t, 2)
	stop()
	writers.Wait()
	for i, key := range keys {
		redistest.Eventually(t, "key "+key+" is written again", func() bool {
			sent[i].Add(1)
			return client.Incr(t.Context(), key+":count").Err() == nil
		})
		if n, err := client.Get(t.Context(), key+":count").Int64(); err != nil || n > sent[i].Load() {
			t.Errorf("key %s: written %d times, asked %d times, %v", key, n, sent[i].Load(), err)
		}
	}
}

// TestCluster_SlotMoves moves a slot with the two keys of a script that is sent when only one of
// them has moved: the script runs once, after the other has moved too.
func TestCluster_SlotMoves(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartCluster(t)
	client := patient(t, nodes, enough)
	keys := []string{"{slot}one", "{slot}two"}
	write(t, client, keys)
	for _, write := range []func(*testing.T, redis.Cmdable, []string){write, writeInPipeline} {
		migration := nodes.Migrate(t, "slot")
		migration.Move(t, keys[0])
		before := refused(t, nodes, "TRYAGAIN")
		var writer sync.WaitGroup
		writer.Go(func() { write(t, client, keys) })
		redistest.Eventually(t, "TRYAGAIN is answered", func() bool { return refused(t, nodes, "TRYAGAIN") > before })
		migration.Move(t, keys[1])
		writer.Wait()
		migration.End(t)
	}
	write(t, client, keys)
	for _, key := range keys {
		if n, err := client.Get(t.Context(), key).Int(); err != nil || n != 4 {
			t.Errorf("%s was written %d times, want 4; %v", key, n, err)
		}
	}
}

// TestCluster_SlotMovesUnderLoad moves a slot to and fro while its keys are written: each command
// is answered and runs once.
func TestCluster_SlotMovesUnderLoad(t *testing.T) {
	t.Parallel()
	nodes := redistest.StartCluster(t)
	client := patient(t, nodes, enough)
	ctx, stop := context.WithCancel(t.Context())
	var written [4]atomic.Int64
	var writers sync.WaitGroup
	defer writers.Wait()
	defer stop()
	for i := range written {
		keys := []string{"{slot}one" + strconv.Itoa(i), "{slot}two" + strconv.Itoa(i)}
		write(t, client, keys)
		written[i].Add(1)
		writers.Go(func() {
			for ctx.Err() == nil {
				write(t, client, keys)
				written[i].Add(1)
			}
		})
	}
	for range 3 {
		migration := nodes.Migrate(t, "slot")
		for _, name := range []string{"one", "two"} {
			for i := range written {
				migration.Move(t, "{slot}"+name+strconv.Itoa(i))
			}
		}
		migration.End(t)
	}
	stop()
	writers.Wait()
	for i := range written {
		if n, err := client.Get(t.Context(), "{slot}two"+strconv.Itoa(i)).Int64(); err != nil || n != written[i].Load() {
			t.Errorf("written %d times, want %d; %v", n, written[i].Load(), err)
		}
	}
}

// patient returns a client that reads the map of the cluster only when it has a reason.
func patient(t *testing.T, nodes *redistest.Cluster, limit time.Duration) *redis.ClusterClient {
	t.Helper()
	o, err := redis.ParseClusterURL(nodes.URL())
	if err != nil {
		t.Fatal(err)
	}
	o = cluster(o, limit)
	o.ClusterStateReloadInterval = time.Hour
	client := redis.NewClusterClient(o)
	client.AddHook(guard{limit: limit, silent: client.ReloadState, starved: new(atomic.Uint32)})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// warm writes keys on every master, so that the client has connections to each of them.
func warm(t *testing.T, client redis.Cmdable) (keys []string) {
	t.Helper()
	for key := 'a'; key <= 'h'; key++ {
		keys = append(keys, string(key))
		redistest.Eventually(t, "a key is written", func() bool { return client.Set(t.Context(), string(key), "value", 0).Err() == nil })
	}
	return keys
}

func write(t *testing.T, client redis.Cmdable, keys []string) {
	t.Helper()
	if err := pair.Run(context.Background(), client, keys).Err(); err != nil {
		t.Error(err)
	}
}

func writeInPipeline(t *testing.T, client redis.Cmdable, keys []string) {
	t.Helper()
	pipeline := client.Pipeline()
	reply := pair.Eval(context.Background(), pipeline, keys)
	other := pipeline.Incr(context.Background(), "elsewhere")
	if _, err := pipeline.Exec(context.Background()); err != nil || reply.Err() != nil || other.Val() != 1 {
		t.Errorf("%v, %v, %d", err, reply.Err(), other.Val())
	}
}

// refused counts the answers of all nodes that began with code.
func refused(t *testing.T, nodes *redistest.Cluster, code string) (n int) {
	t.Helper()
	for _, node := range nodes.Nodes {
		stats, err := node.Client().Info(t.Context(), "errorstats").Result()
		if err != nil {
			t.Fatal(err)
		}
		if _, count, ok := strings.Cut(stats, "errorstat_"+code+":count="); ok {
			count, _, _ = strings.Cut(count, "\r")
			more, err := strconv.Atoi(count)
			if err != nil {
				t.Fatal(err)
			}
			n += more
		}
	}
	return n
}
