package handlers

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// Callbacks takes the platform's own messages (SIGNING.md, section 6). Each is kept and
// answered; what it is about is read from the platform afterwards.
type Callbacks struct {
	// SigningKey is what the callbacks of signing show; empty while none are taken.
	SigningKey string
	// KeepSigning keeps an event of signing until it is worked off.
	KeepSigning func(ctx context.Context, event []byte) error
}

// Signing answers POST /callbacks/signing: 204, whatever the event is.
func (h Callbacks) Signing(c *gin.Context) error {
	if h.SigningKey == "" {
		return fault.New(fault.RequestNotFound)
	}
	if !shows(c.Request, h.SigningKey) {
		c.Header("WWW-Authenticate", `Basic realm="countersign callbacks"`)
		return fault.New(fault.SessionRequired)
	}
	event, err := request.Body(c)
	if err != nil {
		return err
	}
	if err := h.KeepSigning(c.Request.Context(), event); err != nil {
		return err
	}
	return request.NoContent(c)
}

// shows reports whether the request's one Authorization is "Basic " and key. How long it
// takes tells nothing of the key.
func shows(r *http.Request, key string) bool {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, shown, _ := strings.Cut(values[0], " ")
	want, got := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(shown))
	return strings.EqualFold(scheme, "Basic") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
