package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	// allSlots is the line of CLUSTER INFO that says that every slot has a master.
	allSlots = "cluster_slots_assigned:16384\r\n"
	// keptPrefix begins the names of the keys that Readable and Writable ask for.
	keptPrefix = "cs:kept:"
	// maxProbes bounds the search for a key on each master, which may have one slot of
	// 16384.
	maxProbes = 300_000
)

// Readable asks whether all that Redis holds can be read: each master of a cluster
// answers, and together they have every slot. The error says why not.
func (db *DB) Readable(ctx context.Context) error {
	_, err := db.probe(ctx, "read", func(p redis.Pipeliner, key string) { p.Exists(ctx, key) })
	return err
}

// Writable asks whether Redis takes writes, by writing to each master a key of its
// own. The error says why not: Redis is full, a replica, or has too few of them.
//
// The key stays and is written where it is missing alone, which one node does: so a
// master without it held nothing, and the log is told of that once.
func (db *DB) Writable(ctx context.Context) error {
	asked, err := db.probe(ctx, "write", func(p redis.Pipeliner, key string) {
		p.SetArgs(ctx, key, "", redis.SetArgs{Mode: "NX"})
	})
	empty := 0
	for _, set := range asked {
		if set.Err() == nil {
			empty++
		}
	}
	if err == nil && empty > 0 && db.logger != nil {
		db.logger.WarnContext(ctx, "Redis held nothing: whoever was signed in signs in again", "empty", empty, "masters", len(asked))
	}
	return err
}

// probe asks each master at once. That a key is or was there is no error.
func (db *DB) probe(ctx context.Context, doing string, ask func(redis.Pipeliner, string)) (asked []redis.Cmder, err error) {
	ctx, cancel := context.WithTimeout(ctx, db.limit)
	defer cancel()
	keys, err := probeKeys(ctx, db.Client)
	if err == nil {
		asked, err = db.Client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range keys {
				ask(p, key)
			}
			return nil
		})
	}
	if errors.Is(err, redis.Nil) {
		err = firstRefusal(asked)
	}
	if err != nil {
		return nil, fmt.Errorf("redisdb: %s: %w", doing, err)
	}
	return asked, nil
}

// firstRefusal is the first error that is not an absence.
func firstRefusal(cmds []redis.Cmder) error {
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
	}
	return nil
}

// probeKeys are keys of which each master has one.
func probeKeys(ctx context.Context, client redis.UniversalClient) ([]string, error) {
	nodes, ok := client.(*redis.ClusterClient)
	if !ok {
		return []string{keptPrefix + "0"}, nil
	}
	masters, err := coveringMasters(ctx, nodes)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := 0; len(masters) > 0 && i < maxProbes; i++ {
		key := keptPrefix + strconv.Itoa(i)
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
