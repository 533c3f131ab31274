// Package callback sends the events of the sandbox by POST, in order, and repeats failed ones.
//
// It knows neither the content of a notice nor its receiver: the service does.
package callback

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A notice that is not accepted is sent again after firstRetry, and then at growing
// intervals up to lastRetry.
const (
	attempts       = 8
	firstRetry     = 100 * time.Millisecond
	lastRetry      = 5 * time.Second
	attemptTimeout = 10 * time.Second
)

// Receiver is where notices go.
type Receiver struct {
	URL           string // "" is none
	Host          string // by which the receiver is known; "" is URL's
	Authorization string // may be ""
}

// Notice is a notice to be sent.
type Notice struct {
	Receiver
	Body []byte // JSON
	// Failed is called if the first attempt is not accepted, and there is no second; nil has
	// the notice repeated.
	Failed func()
}

// Sender sends notices. It is safe for concurrent use, and sends nothing before its first
// Reset.
type Sender struct {
	client http.Client
	log    *slog.Logger

	mu      sync.Mutex
	queue   []Notice
	busy    bool
	ctx     context.Context //nolint:containedctx // ends the deliveries between two resets
	stop    context.CancelFunc
	running sync.WaitGroup
}

// NewSender makes a Sender that logs undeliverable notices to log.
func NewSender(log *slog.Logger) *Sender {
	return &Sender{log: log, client: http.Client{
		Timeout:       attemptTimeout,
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Reset ends every delivery and begins again.
func (s *Sender) Reset() {
	s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.queue = nil
}

// Close ends every delivery and waits for the last attempt.
func (s *Sender) Close() {
	s.mu.Lock()
	if s.stop != nil {
		s.stop()
	}
	s.queue = nil
	s.mu.Unlock()
	s.running.Wait()
}

// Send queues a notice and does not wait for its delivery.
func (s *Sender) Send(n Notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil || s.ctx.Err() != nil {
		return
	}
	s.queue = append(s.queue, n)
	if !s.busy {
		s.busy = true
		ctx := s.ctx
		s.running.Go(func() { s.work(ctx) })
	}
}

// work delivers until the queue is empty.
func (s *Sender) work(ctx context.Context) {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.busy = false
			s.mu.Unlock()
			return
		}
		next := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		s.deliver(ctx, next)
	}
}

// deliver tries until the notice is accepted, or refused for good.
func (s *Sender) deliver(ctx context.Context, n Notice) {
	pause := firstRetry
	for attempt := range attempts {
		status, err := s.attempt(ctx, n)
		if err == nil && status < http.StatusMultipleChoices || ctx.Err() != nil {
			return
		}
		address, _, _ := strings.Cut(n.URL, "?") // the query may contain a key
		s.log.Info("callback not accepted", "url", address, "status", status, "attempt", attempt+1, "error", err)
		if n.Failed != nil {
			n.Failed()
			return
		}
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

// final reports whether another attempt would be refused the same way.
func final(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

func (s *Sender) attempt(ctx context.Context, n Notice) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL, bytes.NewReader(n.Body))
	if err != nil {
		return 0, err
	}
	r.Host = cmp.Or(n.Host, r.Host)
	r.Header.Set("Content-Type", "application/json")
	if n.Authorization != "" {
		r.Header.Set("Authorization", n.Authorization)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, errors.Join(err, response.Body.Close())
}
