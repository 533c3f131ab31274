package redisdb

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A timed context ends with its time, for a later check, and with its parent.
func TestTimed_EndsWithTimeOrParent(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(t.Context())
	later, past := deadlineContext{parent, time.Now().Add(time.Hour)}, deadlineContext{parent, time.Now()}
	if later.Err() != nil || later.Done() != parent.Done() {
		t.Errorf("before its time: %v", later.Err())
	}
	child, end := context.WithCancel(past)
	defer end()
	for what, ctx := range map[string]context.Context{"itself": past, "what is derived from it": child} {
		select {
		case <-ctx.Done():
		default:
			t.Errorf("after its time, %s is not done", what)
		}
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("after its time, %s: %v", what, ctx.Err())
		}
	}
	cancel()
	<-later.Done()
	if !errors.Is(later.Err(), context.Canceled) {
		t.Errorf("after its parent: %v", later.Err())
	}
}
