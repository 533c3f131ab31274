package web

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/gin-gonic/gin"

	"countersign/internal/request"
)

// requestID gives every request a name of its own, and notes who asks from where
// and in which language. It is ours alone: a client's
// X-Request-Id is not taken over, so that nobody can put words into our log; that of a
// trusted proxy stands beside it there.
func (e *edge) requestID(c *gin.Context) {
	var raw [12]byte
	_, _ = rand.Read(raw[:]) // crypto/rand.Read never fails: it ends the program instead
	state := request.Begin(c)
	state.ID = base64.RawURLEncoding.EncodeToString(raw[:])
	state.Address = c.ClientIP()
	state.Language = e.Bundle.Match(e.device.Language(c.Request), c.GetHeader("Accept-Language"))
	state.RevealAccountState, state.Trail = e.RevealAccountState, e.Trail
	if e.fromProxy(c) {
		state.ProxyRequest, state.TraceParent = proxyRequest(c.Request), traceParent(c.Request)
	}
	c.Header("X-Request-Id", state.ID)
	c.Next()
}
