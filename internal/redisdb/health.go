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
	// allSlots is the line of CLUSTER INFO for a cluster in which every slot has a
	// master.
	allSlots = "cluster_slots_assigned:16384\r\n"
	// keptPrefix begins the keys that Readable and Writable use.
	keptPrefix = "cs:kept:"
	// maxProbes limits the search for a key on each master; a master may have only one of
	// the 16384 slots.
	maxProbes = 300_000
)

// Readable checks that all data in Redis can be read: each master of a cluster answers,
// and together they have every slot. The error says what fails.
func (db *DB) Readable(ctx context.Context) error {
	_, err := db.probe(ctx, "read", func(p redis.Pipeliner, key string) { p.Exists(ctx, key) })
	return err
}

// Writable checks that Redis takes writes, by writing a dedicated key to each master.
// The error says why Redis does not: it is full, a replica, or has too few replicas.
//
// The key stays, and only one node writes it where it is missing. A master without it
// held nothing, which the log says once.
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
		db.logger.WarnContext(ctx, "redis data lost; all sessions are invalid", "empty", empty, "masters", len(asked))
	}
	return err
}

// probe sends a command to each master at once. A missing or existing key is not an
// error.
func (db *DB) probe(ctx context.Context, doing string, ask func(redis.Pipeliner, string)) (asked []redis.Cmder, err error) {
	ctx, cancel := context.WithTimeout(ctx, db.limit)
	defer cancel()
	keys, err := db.probeKeys(ctx)
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

// firstRefusal returns the first error other than redis.Nil.
func firstRefusal(cmds []redis.Cmder) error {
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
	}
	return nil
}

// probeKeys returns one key for each master.
func (db *DB) probeKeys(ctx context.Context) ([]string, error) {
	nodes, ok := db.Client.(*redis.ClusterClient)
	if !ok {
		return []string{db.Name(keptPrefix + "0")}, nil
	}
	masters, err := coveringMasters(ctx, nodes)
	if err != nil {
		return nil, err
	}
	var keys []string
	for i := 0; len(masters) > 0 && i < maxProbes; i++ {
		key := db.Name(keptPrefix + strconv.Itoa(i))
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

// coveringMasters reads again the addresses of a cluster's masters. It fails unless each
// of them answers and says that every slot has a master.
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
