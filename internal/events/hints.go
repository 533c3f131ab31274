package events

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
)

const (
	// quietFor is how long the channel may be silent before the connection is asked.
	quietFor = 3 * time.Second
	// listenAgain is the pause before the channel is listened to again.
	listenAgain = time.Second
)

// Hint makes the hubs of all nodes read the topic now, if it is watched there. It is only a
// hint: one that is lost delays a change by two seconds, so nothing fails with it. A refusal
// of Redis is logged once, and Refused has it.
func (h *Hub) Hint(ctx context.Context, topic string) {
	h.note(ctx, "sent", h.Redis.Client.Publish(ctx, h.Channel, topic).Err())
}

// Refused returns why Redis does not let this node send or hear hints; nil while it does. Live
// pages are slower meanwhile, and all the rest goes on.
func (h *Hub) Refused() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.refused {
		if err != nil {
			return err
		}
	}
	return nil
}

// note keeps whether Redis refuses that hints are sent, or heard, and logs each change.
func (h *Hub) note(ctx context.Context, doing string, err error) {
	if _, answered := errors.AsType[redis.Error](err); err != nil && !answered {
		h.Logger.DebugContext(ctx, "hint lost", "cause", err.Error())
		return
	}
	if err != nil && !redisdb.IsNotPermitted(err) {
		return // Redis is loading, or has no master
	}
	h.mu.Lock()
	was := h.refused[doing]
	h.refused[doing] = err
	h.mu.Unlock()
	switch {
	case err != nil && was == nil:
		h.Logger.WarnContext(ctx, "Redis refuses messages, so live pages are slower", "hints", doing, "channel", h.Channel, "cause", err.Error())
	case err == nil && was != nil:
		h.Logger.InfoContext(ctx, "Redis takes hints again", "hints", doing)
	}
}

// listen receives the hints of all nodes until ctx ends.
func (h *Hub) listen(ctx context.Context) {
	for ctx.Err() == nil {
		h.listenOnce(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(listenAgain):
		}
	}
}

// listenOnce receives hints by one connection until it breaks, or Redis refuses the channel. Once
// it is listened to, an empty hint shows whether hints may be sent.
func (h *Hub) listenOnce(ctx context.Context) {
	hints := h.Redis.Subscribe(ctx, h.Channel)
	defer hints.Close()
	stop := context.AfterFunc(ctx, func() { _ = hints.Close() }) // ends what waits for a message
	defer stop()
	for asked := false; ; {
		message, err := hints.ReceiveTimeout(ctx, quietFor)
		if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() && !asked {
			asked = hints.Ping(ctx) == nil
			if asked {
				continue
			}
		}
		if err != nil {
			if ctx.Err() == nil {
				h.note(ctx, "heard", err)
			}
			return
		}
		asked = false
		switch m := message.(type) {
		case *redis.Subscription:
			h.note(ctx, "heard", nil)
			h.Hint(ctx, "")
		case *redis.Message:
			h.hinted(m.Payload)
		}
	}
}
