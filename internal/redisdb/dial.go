package redisdb

import (
	"cmp"
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// answerTimeout is the default Options.Timeout of a real Redis.
	answerTimeout = 800 * time.Millisecond
	// readRetries is the number of further tries of a read within that time.
	readRetries = 2
	// mapAge is the age at which the map of a cluster is read again without another
	// reason, such as a node that does not answer (guard.silent) or MOVED.
	mapAge = 5 * time.Second
	// resp2 suffices: the server pushes nothing here, and RESP3 makes go-redis look
	// for pushes around every command.
	resp2 = 2
	// onePool has pipelines use the connections of all commands. In a separate pool, only
	// reads would use most connections, and a replica refuses writes alone.
	onePool = -1
)

// dial makes the client, which counts every connection that it makes.
func (db *DB) dial(o Options) error {
	form, err := parse(o)
	if err != nil {
		return err
	}
	db.url, db.mode = o.URL, o.Mode
	db.access.Store(form.access())
	hook := guard{limit: db.limit, starved: &db.starved}
	counted := func(next func(context.Context, *redis.Conn) error) func(context.Context, *redis.Conn) error {
		return func(ctx context.Context, conn *redis.Conn) error {
			db.connections.Add(1)
			return next(ctx, conn)
		}
	}
	onConnect := counted(func(context.Context, *redis.Conn) error { return nil })
	switch {
	case form.single != nil:
		form.single.OnConnect = onConnect
		form.single.Dialer = db.newDialer(o).Dial
		form.single.CredentialsProviderContext = db.credentials
		connect(db, redis.NewClient(single(form.single, db.limit)))
	case form.sentinel != nil:
		form.sentinel.OnConnect = counted(leadsToMaster)
		form.sentinel = sentinel(form.sentinel, db.limit)
		moves := &switchOvers{master: form.sentinel.MasterName, moved: map[string]move{}, open: map[*addressedConn]bool{}}
		form.sentinel.Dialer = moves.naming(db.newDialer(o))
		form.sentinel.CredentialsProviderContext = db.credentials
		client := redis.NewFailoverClient(form.sentinel)
		client.AddHook(toMaster{client.Options().Dialer, client.Options(), moves})
		connect(db, client)
		db.stop = moves.listen(form.sentinel)
	default:
		form.cluster.OnConnect = onConnect
		form.cluster.Dialer = db.newDialer(o).Dial
		form.cluster.CredentialsProviderContext = db.credentials
		nodes := redis.NewClusterClient(cluster(form.cluster, db.limit))
		connect(db, nodes)
		hook.silent = nodes.ReloadState
	}
	db.hook(hook)
	return nil
}

func single(o *redis.Options, limit time.Duration) *redis.Options {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, limit
	o.ConnMaxIdleTime = cmp.Or(o.ConnMaxIdleTime, idleAtMost)
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = readRetries, 0, 0
	o.PipelinePoolSize = onePool
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// sentinel and cluster read from masters alone: a replica might still have a session that
// was signed out a moment ago.
func sentinel(o *redis.FailoverOptions, limit time.Duration) *redis.FailoverOptions {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, limit
	o.ConnMaxIdleTime = cmp.Or(o.ConnMaxIdleTime, idleAtMost)
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = readRetries, 0, 0
	o.PipelinePoolSize = onePool
	o.DisableIdentity = true
	o.ReplicaOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	return o
}

func cluster(o *redis.ClusterOptions, limit time.Duration) *redis.ClusterOptions {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, limit
	o.ConnMaxIdleTime = cmp.Or(o.ConnMaxIdleTime, idleAtMost)
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.PipelinePoolSize = onePool
	// Across nodes, MaxRedirects is the number of tries; within one node nothing is tried
	// again.
	o.MaxRetries, o.MaxRedirects = -1, readRetries+1
	o.MinRetryBackoff, o.MaxRetryBackoff = 0, 0
	o.DisableIdentity = true
	o.ReadOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	// Every command here names its keys; routing by COMMAND tables would only cost a
	// round trip and a type switch.
	o.DisableRoutingPolicies = true
	o.ClusterStateReloadInterval = mapAge
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}

// stepTimeout limits each step of a command that waits for a node: dialling, writing and
// reading. Waiting for a connection of the pool may use the command's whole time, because
// under load such a wait says nothing about the nodes.
func stepTimeout(limit time.Duration) time.Duration { return limit * 3 / 8 }
