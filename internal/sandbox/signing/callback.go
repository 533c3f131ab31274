package signing

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// registration is where an account wants to be told of events (signing facts, 8).
type registration struct {
	URL    string   `json:"url"`
	Key    string   `json:"key"`
	Events []string `json:"events"` // none: all of them
}

func (r registration) wants(name string) bool {
	return r.URL != "" && (len(r.Events) == 0 || slices.Contains(r.Events, name))
}

// notice is the body of a callback.
type notice struct {
	Name        string `json:"name"`
	SessionUser string `json:"sessionUser,omitzero"`
	PackageID   string `json:"packageId"`
	Message     string `json:"message,omitzero"`
	DocumentID  string `json:"documentId,omitzero"`
	CreatedDate string `json:"createdDate"`
}

// A notice that is not taken is sent again after firstRetry, and then after ever
// longer, up to lastRetry.
const (
	attempts       = 8
	firstRetry     = 100 * time.Millisecond
	lastRetry      = 5 * time.Second
	attemptTimeout = 10 * time.Second
)

// callbacks tell the accounts of events, one after the other, in their order. It
// is safe for concurrent use.
type callbacks struct {
	client http.Client
	log    *slog.Logger

	mu         sync.Mutex
	registered map[string]registration // by the origin of packages; "" is the account's
	queue      []outgoing
	busy       bool
	ctx        context.Context //nolint:containedctx // It ends the deliveries of one time between two resets.
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// outgoing is a notice on its way.
type outgoing struct {
	to   registration
	body []byte
}

func newCallbacks(log *slog.Logger) *callbacks {
	return &callbacks{log: log, client: http.Client{
		Timeout:       attemptTimeout,
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// reset ends every delivery and forgets the registrations.
func (c *callbacks) reset() {
	c.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.registered, c.queue = map[string]registration{}, nil
}

// close ends every delivery and waits for the last attempt.
func (c *callbacks) close() {
	c.mu.Lock()
	if c.stop != nil {
		c.stop()
	}
	c.queue = nil
	c.mu.Unlock()
	c.running.Wait()
}

// change changes the registration of an origin.
func (c *callbacks) change(origin string, act func(*registration)) registration {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.registered[origin]
	act(&r)
	r.Events = list(r.Events)
	c.registered[origin] = r
	return r
}

// tell has every registration that wants the notice be told, without waiting.
func (c *callbacks) tell(n notice) {
	body, err := json.Marshal(n)
	if err != nil {
		c.log.Error("a callback could not be written", "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.registered {
		if r.wants(n.Name) {
			c.queue = append(c.queue, outgoing{r, body})
		}
	}
	if len(c.queue) > 0 && !c.busy && c.ctx.Err() == nil {
		c.busy = true
		ctx := c.ctx
		c.running.Go(func() { c.work(ctx) })
	}
}

// work delivers until nothing waits.
func (c *callbacks) work(ctx context.Context) {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 {
			c.busy = false
			c.mu.Unlock()
			return
		}
		next := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		c.deliver(ctx, next)
	}
}

// deliver tries until the notice is taken, or refused for good.
func (c *callbacks) deliver(ctx context.Context, d outgoing) {
	pause := firstRetry
	for attempt := range attempts {
		status, err := c.attempt(ctx, d)
		if err == nil && status < http.StatusMultipleChoices || ctx.Err() != nil {
			return
		}
		c.log.Info("callback not taken", "url", d.to.URL, "status", status, "attempt", attempt+1, "error", err)
		if err == nil && final(status) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			pause = min(2*pause, lastRetry)
		}
	}
}

// final reports whether another attempt would be refused alike.
func final(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

func (c *callbacks) attempt(ctx context.Context, d outgoing) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.to.URL, bytes.NewReader(d.body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	if d.to.Key != "" {
		r.Header.Set("Authorization", "Basic "+d.to.Key)
	}
	response, err := c.client.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, errors.Join(err, response.Body.Close())
}
