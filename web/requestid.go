package web

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/gin-gonic/gin"

	"countersign/internal/request"
)

// requestID gives every request an id, and notes the client's address and language. The
// id is always our own: a client's X-Request-Id is ignored, so that nobody can write into
// our log; a trusted proxy's stands beside ours there.
func (e *edge) requestID(c *gin.Context) {
	var raw [12]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program first
	state := request.Begin(c)
	state.ID = base64.RawURLEncoding.EncodeToString(raw[:])
	var proxied bool
	state.Address, proxied = e.clientAddress(c.Request)
	state.Language = e.Bundle.Match(e.device.Language(c.Request), c.GetHeader("Accept-Language"))
	state.RevealAccountState, state.Trail = e.RevealAccountState, e.Trail
	if proxied {
		state.ProxyRequest, state.TraceParent = proxyRequest(c.Request), traceParent(c.Request)
	}
	c.Header("X-Request-Id", state.ID)
	c.Next()
}
