package web

import (
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
)

// recovered turns a panic of a handler into a server.internal, with its stack in
// the log. The server's own way to give up a connection passes through.
func (e *edge) recovered(c *gin.Context) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		err := fault.Wrap(fault.ServerInternal, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		_ = c.Error(err)
		c.Abort()
		if !c.Writer.Written() {
			e.answer(c, err)
		}
	}()
	c.Next()
}
