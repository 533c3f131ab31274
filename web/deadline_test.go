package web

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

// A handler that still reads a body after its request was answered does not touch the connection,
// whose next request has deadlines of its own.
func TestBody_ReadAfterResponse(t *testing.T) {
	var left sync.WaitGroup
	server := deadlineServer(t, func() time.Duration { return 0 }, (&edge{Options: Options{Now: time.Now}}).transfer, func(c *gin.Context) {
		body := c.Request.Body
		left.Go(func() {
			for range 1000 {
				_, _ = body.Read(make([]byte, 1))
			}
		})
		c.AbortWithStatus(http.StatusConflict)
	})
	for range 20 {
		answer, err := http.Post(server.URL, "text/plain", bytes.NewReader(make([]byte, 4<<10)))
		if err != nil || answer.StatusCode != http.StatusConflict {
			t.Fatal(answer, err)
		}
		answer.Body.Close()
	}
	left.Wait()
}

// deadlineServer answers with the body of a request, under deadlines by a clock that runs
// ahead.
func deadlineServer(t *testing.T, ahead func() time.Duration, steps ...gin.HandlerFunc) *httptest.Server {
	t.Helper()
	e := &edge{Options: Options{Now: func() time.Time { return time.Now().Add(ahead()) }}}
	engine := gin.New()
	engine.Use(e.deadlines)
	if len(steps) == 0 {
		steps = append(steps, e.transfer)
	}
	engine.POST("/", append(steps, func(c *gin.Context) {
		body, err := io.ReadAll(c.Request.Body)
		if err != nil {
			c.Status(http.StatusRequestTimeout)
			return
		}
		c.Data(http.StatusOK, "text/plain", body)
	})...)
	server := httptest.NewServer(engine)
	t.Cleanup(server.Close)
	return server
}

// A body that does not arrive in time is given up; one that does is read.
func TestBody_Deadline(t *testing.T) {
	for name, steps := range map[string][]gin.HandlerFunc{"in all": {func(*gin.Context) {}}, "standing still": nil} {
		t.Run(name, func(t *testing.T) {
			var ahead time.Duration
			server := deadlineServer(t, func() time.Duration { return ahead }, steps...)
			answer, err := http.Post(server.URL, "text/plain", bytes.NewReader([]byte("whole")))
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatal(answer, err)
			}
			answer.Body.Close()

			ahead = -writeWithin // every deadline has passed when it is set
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nwh")
			if rest, _ := io.ReadAll(conn); bytes.Contains(rest, []byte("200 OK")) {
				t.Errorf("half a body was answered %q", rest)
			}
		})
	}
}
