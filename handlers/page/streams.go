package page

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/account"
	"countersign/internal/events"
	"countersign/internal/request"
	"countersign/session"
)

// Streams answers with server-sent events of the hub, for as long as the session lasts.
type Streams struct {
	Hub      *events.Hub
	Sessions *session.Store
	// Accounts asks once a minute whether a watching person may still use their account.
	Accounts *account.Checker
	Now      func() time.Time
}

// Serve streams what happens to topic to person, or answers 204 if nothing can happen any
// more.
func (s Streams) Serve(c *gin.Context, topic string, person access.Person, fetch events.Fetch) error {
	sess := request.From(c).Session
	watch, err := s.Hub.Join(c.Request.Context(), events.Watcher{
		Topic: topic, Fetch: fetch, Person: events.Person(person),
		Session: sess.ID(), Live: func(ctx context.Context) (bool, error) { return s.Sessions.Live(ctx, sess) },
		Check: func(ctx context.Context) bool { return s.goesOn(ctx, sess) },
		After: lastEventID(c.Request),
	})
	if err != nil {
		return err
	}
	if watch.Over() {
		watch.End()
		return request.NoContent(c)
	}
	c.Header("Content-Type", "text/event-stream")
	c.Header("Cache-Control", "no-store, "+request.Untransformed)
	if c.Request.Method == http.MethodHead {
		watch.End()
		c.Status(http.StatusOK)
		return nil
	}
	return s.handOver(c, watch)
}

// goesOn reports whether the streams of the session go on: its person may still use their
// account, under the e-mail address by which they see what they watch. Where that cannot be
// told now they do.
func (s Streams) goesOn(ctx context.Context, watching *session.Session) bool {
	sess, live, err := s.Sessions.Reload(ctx, watching)
	if err != nil || !live {
		return err != nil
	}
	was, _ := watching.User()
	if s.Accounts.Check(ctx, sess, account.Request{}) != nil || s.Accounts.Answered(sess) != nil {
		return false
	}
	is, _ := sess.User()
	return is.Email == was.Email
}

// handOver gives the connection to the hub, since net/http's own takes more memory than a
// stream may.
func (s Streams) handOver(c *gin.Context, watch *events.Watch) error {
	header := c.Writer.Header().Clone()
	header.Set("Date", s.Now().UTC().Format(http.TimeFormat))
	header.Set("Connection", "close")
	header.Set("X-Accel-Buffering", "no") // makes proxies pass events on at once
	conn, _, err := c.Writer.Hijack()
	if err != nil {
		watch.End()
		return err
	}
	_ = conn.SetDeadline(time.Time{})
	head := bytes.NewBufferString("HTTP/1.1 200 OK\r\n")
	_ = header.Write(head)
	head.WriteString("\r\n")
	watch.Stream(conn, head.Bytes())
	return nil
}

// lastEventID returns the id of the last event that the client received; zero for none.
func lastEventID(r *http.Request) uint64 {
	id, err := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 53)
	if err != nil {
		return 0
	}
	return id
}
