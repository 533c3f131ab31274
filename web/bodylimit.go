package web

import (
	"io"
	"net/http"

	"countersign/internal/fault"

	"github.com/gin-gonic/gin"
)

// The largest bodies, in bytes.
const (
	limitJSON = 64 << 10
	limitFIDO = 256 << 10
	// limitForm limits a form with a document.
	limitForm = 11 << 20
)

// bodyLimit refuses a body of more than limit bytes. A route that is posted to
// takes its rate limit first, so that too large a body counts as a try: there it is
// refused when it is read.
func bodyLimit(limit int64) func(*gin.Context) error {
	return func(c *gin.Context) error {
		switch r := c.Request; {
		case r.Body == http.NoBody:
		case r.ContentLength <= limit:
			r.Body = http.MaxBytesReader(c.Writer, r.Body, limit)
		case r.Method == http.MethodPost:
			r.Body = tooLarge{ReadCloser: r.Body, limit: limit}
		default:
			return fault.New(fault.RequestTooLarge)
		}
		return nil
	}
}

// tooLarge is a body whose announced length is over the limit: none of it is read.
type tooLarge struct {
	io.ReadCloser
	limit int64
}

func (b tooLarge) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: b.limit} }
