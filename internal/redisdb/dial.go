package redisdb

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// answerTimeout is the Options.Timeout of a real Redis.
	answerTimeout = 800 * time.Millisecond
	// readRetries is how often a read is tried again within that.
	readRetries = 2
	// mapAge is how old the map of a cluster may get before it is read again without a
	// reason. A node that does not answer is one (guard.silent), MOVED another.
	mapAge = 5 * time.Second
	// resp2 suffices: the server pushes nothing here, and RESP3 makes go-redis look
	// for pushes around every command.
	resp2 = 2
)

// dial makes the client, and counts every connection that it makes.
func (db *DB) dial(o Options) error {
	form, err := parse(o)
	if err != nil {
		return err
	}
	hook := guard{limit: db.limit, starved: &db.starved}
	onConnect := func(context.Context, *redis.Conn) error { db.connections.Add(1); return nil }
	switch {
	case form.single != nil:
		form.single.OnConnect = onConnect
		db.Client = redis.NewClient(single(form.single, db.limit))
	case form.sentinel != nil:
		form.sentinel.OnConnect = onConnect
		db.Client = redis.NewFailoverClient(sentinel(form.sentinel, db.limit))
	default:
		form.cluster.OnConnect = onConnect
		nodes := redis.NewClusterClient(cluster(form.cluster, db.limit))
		db.Client, hook.silent = nodes, nodes.ReloadState
	}
	db.Client.AddHook(hook)
	return nil
}

func single(o *redis.Options, limit time.Duration) *redis.Options {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, limit
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = readRetries, 0, 0
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// sentinel and cluster read from masters alone: on a replica a session that was
// signed out a moment ago would still be alive.
func sentinel(o *redis.FailoverOptions, limit time.Duration) *redis.FailoverOptions {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, limit
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = readRetries, 0, 0
	o.DisableIdentity = true
	o.ReplicaOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	return o
}

func cluster(o *redis.ClusterOptions, limit time.Duration) *redis.ClusterOptions {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, limit
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	// Between nodes, MaxRedirects is the number of tries, and within one node
	// there is none.
	o.MaxRetries, o.MaxRedirects = -1, readRetries+1
	o.MinRetryBackoff, o.MaxRetryBackoff = 0, 0
	o.DisableIdentity = true
	o.ReadOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	// Every command here names its keys; routing by COMMAND tables is a round
	// trip and a type switch that do nothing for it.
	o.DisableRoutingPolicies = true
	o.ClusterStateReloadInterval = mapAge
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// stepTimeout bounds each step of a command that waits for a node: dialling, writing and
// reading. Waiting for a connection of the pool may take all the time that there is: under
// load it tells nothing about the nodes.
func stepTimeout(limit time.Duration) time.Duration { return limit * 3 / 8 }
