package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// allSlots is the line of CLUSTER INFO that says that every slot has a master.
	allSlots = "cluster_slots_assigned:16384\r\n"
	// probePrefix begins the names of the keys that Readable and Writable ask for.
	probePrefix = "cs:probe:"
	// probeLife is how long such a key lives.
	probeLife = time.Minute
	// maxProbes bounds the search for a key on each master, which may have one slot of
	// 16384.
	maxProbes = 300_000
)

// Readable asks whether all that Redis holds can be read: each master of a cluster
// answers, and together they have every slot. The error says why not.
func (db *DB) Readable(ctx context.Context) error {
	return db.probe(ctx, "read", func(p redis.Pipeliner, key string) { p.Exists(ctx, key) })
}

// Writable asks whether Redis takes writes, by writing to each master a key of its
// own. The error says why not: Redis is full, a replica, or has too few of them.
func (db *DB) Writable(ctx context.Context) error {
	return db.probe(ctx, "write", func(p redis.Pipeliner, key string) { p.Set(ctx, key, "", probeLife) })
}

// probe asks each master at once.
func (db *DB) probe(ctx context.Context, doing string, ask func(redis.Pipeliner, string)) error {
	ctx, cancel := context.WithTimeout(ctx, db.limit)
	defer cancel()
	keys, err := probeKeys(ctx, db.Client)
	if err == nil {
		_, err = db.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range keys {
				ask(p, key)
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("redisdb: %s: %w", doing, err)
	}
	return nil
}

// probeKeys are keys of which each master has one.
func probeKeys(ctx context.Context, client redis.UniversalClient) ([]string, error) {
	nodes, ok := client.(*redis.ClusterClient)
	if !ok {
		return []string{probePrefix + "0"}, nil
	}
	masters, err := coveringMasters(ctx, nodes)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := 0; len(masters) > 0 && i < maxProbes; i++ {
		key := probePrefix + strconv.Itoa(i)
		master, err := nodes.MasterForKey(ctx, key)
		if err != nil {
			return nil, err
		}
		if addr := master.Options().Addr; masters[addr] {
			delete(masters, addr)
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// coveringMasters are the addresses of a cluster's masters, read anew, each of which
// answers and says that every slot has a master.
func coveringMasters(ctx context.Context, nodes *redis.ClusterClient) (map[string]bool, error) {
	var mu sync.Mutex // the masters are asked at once
	masters := map[string]bool{}
	err := nodes.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		info, err := node.ClusterInfo(ctx).Result()
		if err != nil {
			return err
		}
		if !strings.Contains(info, allSlots) {
			return errors.New("not all slots have a master")
		}
		mu.Lock()
		defer mu.Unlock()
		masters[node.Options().Addr] = true
		return nil
	})
	if err == nil && len(masters) == 0 {
		err = errors.New("no master has a slot")
	}
	return masters, err
}
