package handlers

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"

	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/session"
)

// VerificationEvents tells whoever may see a verification what changes about it, while it
// is under way.
type VerificationEvents struct {
	Verifications
	Hub      *events.Hub
	Sessions *session.Store
	Now      func() time.Time
}

// Stream answers GET /verifications/{id}/events: server-sent events, or 204 where there is
// nothing to wait for.
func (h VerificationEvents) Stream(c *gin.Context) error {
	id, _, err := h.grant(c)
	if err != nil {
		return err
	}
	sess := request.From(c).Session
	watch, err := h.Hub.Join(c.Request.Context(), events.Watcher{
		Topic: id, Fetch: h.fetch(id),
		Session: sess.ID(), Live: func(ctx context.Context) (bool, error) { return h.Sessions.Live(ctx, sess) },
		After: lastEventID(c.Request),
	})
	if err != nil {
		return err
	}
	if watch.Over() {
		watch.Leave()
		return request.NoContent(c)
	}
	c.Header("Content-Type", "text/event-stream")
	if c.Request.Method == http.MethodHead {
		watch.Leave()
		c.Status(http.StatusOK)
		return nil
	}
	return h.handOver(c, watch)
}

// handOver gives the connection to the hub. A server's own connection takes more memory
// than a stream may.
func (h VerificationEvents) handOver(c *gin.Context, watch *events.Watch) error {
	header := c.Writer.Header().Clone()
	header.Set("Date", h.Now().UTC().Format(http.TimeFormat))
	header.Set("Connection", "close")
	header.Set("X-Accel-Buffering", "no") // proxies hand on what comes
	conn, _, err := c.Writer.Hijack()
	if err != nil {
		watch.Leave()
		return err
	}
	_ = conn.SetDeadline(time.Time{})
	head := bytes.NewBufferString("HTTP/1.1 200 OK\r\n")
	_ = header.Write(head)
	head.WriteString("\r\n")
	watch.Stream(conn, head.Bytes())
	return nil
}

// lastEventID is the id of the last event that the client was told; zero for none.
func lastEventID(r *http.Request) uint64 {
	id, err := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 53)
	if err != nil {
		return 0
	}
	return id
}

// fetch reads the transaction, and has the index know what it has become.
func (h VerificationEvents) fetch(id string) events.Fetch {
	var seen verification.Status
	return func(ctx context.Context) (events.State, error) {
		t, err := h.Platform.Transaction(ctx, id)
		if fault.Is(err, fault.RequestNotFound) {
			_ = h.Access.Gone(ctx, id) // whoever asks next finds out again
		}
		if err != nil {
			return events.State{}, err
		}
		if t.Status != seen && h.Access.Saw(ctx, t.Value) == nil {
			seen = t.Status
		}
		return stateOf(t)
	}
}

// stateOf is what a stream tells of a transaction.
func stateOf(t verification.Transaction) (events.State, error) {
	status, err := json.Marshal(map[string]verification.Status{"status": t.Status})
	if err != nil {
		return events.State{}, err
	}
	state := events.State{Facts: []events.Fact{{Name: "state", Data: status}}, Over: !t.Status.Active()}
	if t.Stage != "" {
		stage, err := json.Marshal(map[string]string{"name": t.Stage})
		if err != nil {
			return events.State{}, err
		}
		state.Facts = append(state.Facts, events.Fact{Name: "stage", Data: stage})
	}
	return state, nil
}
