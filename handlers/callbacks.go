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
// is about is read from the platform again.
type Callbacks struct {
	// SigningKey returns the secret that callbacks of signing present, after "Basic " or in the
	// header that SigningHeader names; empty, as nil, admits none by it.
	SigningKey    func() string
	SigningHeader string
	// SigningToken reports whether callbacks of signing may present this token as Bearer; the
	// error is an outage. Nil admits none by it.
	SigningToken func(ctx context.Context, token string) (bool, error)
	// KeepSigning stores an event of signing until it is processed.
	KeepSigning func(ctx context.Context, event []byte) error
	// VerificationKey returns the secret that callbacks of verification present; empty, as nil,
	// refuses them.
	VerificationKey func() string
	// VerificationChanged notifies the watchers of a transaction and the index.
	VerificationChanged func(ctx context.Context, id string) error
}

// Signing answers POST /callbacks/signing: 204, whatever the event is.
func (h Callbacks) Signing(c *gin.Context) error {
	if current(h.SigningKey) == "" && h.SigningToken == nil {
		return fault.New(fault.RequestNotFound)
	}
	admitted, err := h.admitsSigning(c.Request)
	if err != nil {
		return err
	}
	if !admitted {
		h.challenge(c)
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

// admitsSigning reports whether a callback of signing shows the key, or a good token. The
// error is an outage.
func (h Callbacks) admitsSigning(r *http.Request) (bool, error) {
	if key := current(h.SigningKey); key != "" {
		shown, ok := authorization(r, "Basic")
		if h.SigningHeader != "" {
			shown, ok = only(r.Header.Values(h.SigningHeader))
		}
		if ok && equal(shown, key) {
			return true, nil
		}
	}
	if token, ok := authorization(r, "Bearer"); ok && h.SigningToken != nil {
		return h.SigningToken(r.Context(), token)
	}
	return false, nil
}

// challenge names the schemes by which callbacks of signing are admitted.
func (h Callbacks) challenge(c *gin.Context) {
	const realm = ` realm="countersign callbacks"`
	if current(h.SigningKey) != "" && h.SigningHeader == "" {
		c.Writer.Header().Add("WWW-Authenticate", "Basic"+realm)
	}
	if h.SigningToken != nil {
		c.Writer.Header().Add("WWW-Authenticate", "Bearer"+realm)
	}
}

// Verification answers POST /callbacks/verification: 204, whatever the message is. A
// message is only a hint that something has happened; its contents are not believed.
func (h Callbacks) Verification(c *gin.Context) error {
	key := current(h.VerificationKey)
	if key == "" {
		return fault.New(fault.RequestNotFound)
	}
	shown, ok := authorization(c.Request, "Bearer")
	if keys := c.QueryArray("key"); len(c.Request.Header.Values("Authorization")) == 0 && len(keys) == 1 {
		shown, ok = keys[0], true
	}
	if !ok || !equal(shown, key) {
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

// current returns the key of now; "" for none.
func current(key func() string) string {
	if key == nil {
		return ""
	}
	return key()
}

// authorization returns the credentials of the request's only Authorization header, if it
// has that scheme.
func authorization(r *http.Request, scheme string) (shown string, ok bool) {
	value, ok := only(r.Header.Values("Authorization"))
	named, shown, _ := strings.Cut(value, " ")
	return shown, ok && strings.EqualFold(named, scheme)
}

// only returns the only one of a header's values; false if there is none or another.
func only(values []string) (string, bool) {
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

// equal compares a secret in constant time.
func equal(shown, key string) bool {
	want, got := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(shown))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
