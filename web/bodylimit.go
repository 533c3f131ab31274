package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// The largest bodies, in bytes.
const (
	limitJSON = 64 << 10
	limitFIDO = 256 << 10
)

// bodyLimit refuses a body of more than limit bytes: at once where its length
// is announced, else when reading passes the limit.
func bodyLimit(limit int64) func(*gin.Context) error {
	return func(c *gin.Context) error {
		if c.Request.ContentLength > limit {
			return fault.New(fault.RequestTooLarge)
		}
		if c.Request.Body == http.NoBody {
			return nil
		}
		c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, limit)
		return nil
	}
}
