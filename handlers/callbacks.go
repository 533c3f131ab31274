package handlers

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/verification"
)

// Callbacks takes the platform's own messages (docs/platform.md S13, V5). What a message
// is about is read from the platform anew.
type Callbacks struct {
	// SigningKey is the secret that callbacks of signing present; empty refuses them.
	SigningKey string
	// KeepSigning stores an event of signing until it is processed.
	KeepSigning func(ctx context.Context, event []byte) error
	// VerificationKey is the secret that callbacks of verification present; empty refuses
	// them.
	VerificationKey string
	// VerificationChanged notifies the watchers of a transaction and the index.
	VerificationChanged func(ctx context.Context, id string) error
}

// Signing answers POST /callbacks/signing: 204, whatever the event is.
func (h Callbacks) Signing(c *gin.Context) error {
	if h.SigningKey == "" {
		return fault.New(fault.RequestNotFound)
	}
	if shown, ok := authorization(c.Request, "Basic"); !ok || !equal(shown, h.SigningKey) {
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

// Verification answers POST /callbacks/verification: 204, whatever the message is. A
// message is only a hint that something has happened; its contents are not believed.
func (h Callbacks) Verification(c *gin.Context) error {
	if h.VerificationKey == "" {
		return fault.New(fault.RequestNotFound)
	}
	shown, ok := authorization(c.Request, "Bearer")
	if keys := c.QueryArray("key"); len(c.Request.Header.Values("Authorization")) == 0 && len(keys) == 1 {
		shown, ok = keys[0], true
	}
	if !ok || !equal(shown, h.VerificationKey) {
		return fault.New(fault.SessionRequired)
	}
	body, err := request.Body(c)
	if err != nil {
		return err
	}
	var message struct {
		TransactionID string `json:"transaction_id"`
	}
	_ = payload.Unmarshal(body, &message)
	if id, ok := verification.ID(message.TransactionID); ok {
		if err := h.VerificationChanged(c.Request.Context(), id); err != nil {
			return err
		}
	}
	return request.NoContent(c)
}

// authorization returns the credentials of the request's only Authorization header, if it
// has that scheme.
func authorization(r *http.Request, scheme string) (shown string, ok bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	named, shown, _ := strings.Cut(values[0], " ")
	return shown, strings.EqualFold(named, scheme)
}

// equal compares a secret in constant time.
func equal(shown, key string) bool {
	want, got := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
