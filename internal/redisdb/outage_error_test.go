package redisdb_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

func TestUnavailable_ErrorKinds(t *testing.T) {
	server := redistest.Start(t)
	db := open(t, redisdb.Options{URL: server.URL()})
	defer db.Close()
	server.Kill()

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, tt := range map[string]struct {
		ctx   context.Context
		key   fault.Key
		want  fault.Key
		after time.Duration
	}{
		"away":                       {t.Context(), "", fault.ServerUnavailable, 2 * time.Second},
		"away, for sessions":         {t.Context(), fault.SessionUnavailable, fault.SessionUnavailable, 2 * time.Second},
		"too late":                   {late, "", fault.ServerUnavailable, 2 * time.Second},
		"the client hung up":         {gone, "", fault.RequestCancelled, 0},
		"the client of a session":    {gone, fault.SessionUnavailable, fault.RequestCancelled, 0},
		"too late, for the sessions": {late, fault.SessionUnavailable, fault.SessionUnavailable, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			cause := db.Client.Get(tt.ctx, "key").Err()
			err := redisdb.Unavailable(tt.ctx, "package: verb", cause)
			if tt.key != "" {
				err = redisdb.UnavailableAs(tt.ctx, tt.key, "package: verb", cause)
			}
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Key != tt.want || f.RetryAfter != tt.after || !f.Row().Retryable {
				t.Errorf("%+v, want %s after %v", err, tt.want, tt.after)
			}
			if !errors.Is(err, cause) || !strings.Contains(err.Error(), "package: verb: ") {
				t.Errorf("%v does not wrap %v", err, cause)
			}
		})
	}
}
