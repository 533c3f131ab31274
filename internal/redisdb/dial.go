package redisdb

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
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

// dial makes the client of mode from url, by go-redis's own parsers.
func dial(mode, url string, limit time.Duration) (redis.UniversalClient, error) {
	if url == "" {
		return nil, errors.New("redisdb: no URL")
	}
	var client redis.UniversalClient
	hook := guard{limit: limit}
	switch mode {
	case ModeSingle, "":
		o, err := redis.ParseURL(url)
		if err != nil {
			return nil, parseError(err)
		}
		client = redis.NewClient(single(o, limit))
	case ModeSentinel:
		o, err := redis.ParseFailoverURL(url)
		if err != nil {
			return nil, parseError(err)
		}
		if o.MasterName == "" {
			return nil, errors.New("redisdb: a sentinel URL needs ?master_name=")
		}
		client = redis.NewFailoverClient(sentinel(o, limit))
	case ModeCluster:
		o, err := redis.ParseClusterURL(url)
		if err != nil {
			return nil, parseError(err)
		}
		nodes := redis.NewClusterClient(cluster(o, limit))
		client, hook.silent = nodes, nodes.ReloadState
	default:
		return nil, fmt.Errorf("redisdb: unknown mode %q; it is single, sentinel or cluster", mode)
	}
	client.AddHook(hook)
	return client, nil
}

// parseError tells what is wrong with a URL without repeating it: the parsers quote
// their input, which may be a piece of the password.
func parseError(err error) error {
	text := err.Error()
	for _, harmless := range []string{"redis: unexpected option", "redis: invalid URL scheme"} {
		if strings.HasPrefix(text, harmless) {
			return fmt.Errorf("redisdb: %w", err)
		}
	}
	return errors.New("redisdb: the URL does not parse; it is redis[s]://[user:password@]host[:port][/database][?option=value], " +
		"special characters of the password percent-encoded")
}

func single(o *redis.Options, limit time.Duration) *redis.Options {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, step
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = readRetries, 0, 0
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	o.TLSConfig = modern(o.TLSConfig)
	return o
}

// sentinel and cluster read from masters alone: on a replica a session that was
// signed out a moment ago would still be alive.
func sentinel(o *redis.FailoverOptions, limit time.Duration) *redis.FailoverOptions {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, step
	o.ContextTimeoutEnabled = true
	o.DialerRetries = 1
	o.MaxRetries, o.MinRetryBackoff, o.MaxRetryBackoff = readRetries, 0, 0
	o.DisableIdentity = true
	o.ReplicaOnly, o.RouteByLatency, o.RouteRandomly = false, false, false
	o.TLSConfig = modern(o.TLSConfig)
	return o
}

func cluster(o *redis.ClusterOptions, limit time.Duration) *redis.ClusterOptions {
	o.Protocol = resp2
	step := stepTimeout(limit)
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = step, step, step, step
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
	o.TLSConfig = modern(o.TLSConfig)
	return o
}

// stepTimeout bounds each step of a command alone: dialling, writing, reading, and
// waiting for a connection of the pool.
func stepTimeout(limit time.Duration) time.Duration { return limit * 3 / 8 }

// modern is the TLS configuration that the URL's rediss asked for, or nil.
func modern(c *tls.Config) *tls.Config {
	if c != nil {
		c.MinVersion = tls.VersionTLS12
	}
	return c
}
