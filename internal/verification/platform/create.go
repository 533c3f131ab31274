package platform

import (
	"context"
	"errors"
	"net/http"

	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// Create starts a transaction from a checked payload, in one call that is never repeated.
// Unless the error wraps an *upstream.Error, the request may have reached the platform.
// Create removes from the error what the platform repeats of the payload.
func (c *Client) Create(ctx context.Context, sent verification.Sent) (verification.Transaction, error) {
	path, _ := c.path(createTransaction, nil)
	r, err := http.NewRequestWithContext(ctx, createTransaction.Method, c.Upstream.URL().String()+path, sent.Body)
	if err != nil {
		return verification.Transaction{}, err
	}
	r.ContentLength = sent.Length
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	response, err := c.Upstream.Relay(createTransaction.Name, r)
	if err != nil {
		if said, ok := errors.AsType[*upstream.Error](err); ok {
			said.Redact(sent.Personal)
		}
		return verification.Transaction{}, translate(createTransaction, err)
	}
	defer response.Body.Close()
	text, err := upstream.ReadAll(response, maxAnswer, nil)
	if err != nil {
		return verification.Transaction{}, err
	}
	t, err := verification.Read(text)
	if err != nil {
		return verification.Transaction{}, err
	}
	return t.WithStarter(sent.OpaqueID)
}

// maxAnswer limits the answer to a creation, in bytes.
const maxAnswer = 16 << 20
