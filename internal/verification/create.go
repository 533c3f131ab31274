package verification

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/upstream"
)

// Create starts a transaction from a checked payload, in one call that is never repeated.
// Unless the error wraps an *upstream.Error, the request may have reached the platform.
// Create removes from the error what the platform repeats of the payload.
func (c *Client) Create(ctx context.Context, sent Sent) (Transaction, error) {
	path, _ := c.Path(createTransaction, nil)
	r, err := http.NewRequestWithContext(ctx, createTransaction.Method, c.Upstream.URL().String()+path, sent.Body)
	if err != nil {
		return Transaction{}, err
	}
	r.ContentLength = sent.Length
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	response, err := c.Upstream.Relay(createTransaction.Name, r)
	if err != nil {
		if said, ok := errors.AsType[*upstream.Error](err); ok {
			said.Redact(sent.told)
		}
		return Transaction{}, Translate(createTransaction, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return Transaction{}, unreadable(err)
	}
	t, err := Read(text)
	if err != nil {
		return Transaction{}, err
	}
	return t.startedAs(sent.OpaqueID)
}

// startedAs returns t with the opaque_id that was sent, whatever the answer says: the
// person who created the transaction is its starter.
func (t Transaction) startedAs(opaqueID string) (Transaction, error) {
	whole := []byte(`{"opaque_id":` + quote(opaqueID))
	d := jsontext.NewDecoder(bytes.NewReader(t.Value), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() != '}' {
		var name, value jsontext.Value
		if name, err = d.ReadValue(); err != nil {
			break
		}
		isIt := string(name) == `"opaque_id"`
		name = append(append([]byte(","), name...), ':')
		if value, err = d.ReadValue(); err == nil && !isIt {
			whole = append(append(whole, name...), value...)
		}
	}
	if err != nil {
		return Transaction{}, unreadable(err)
	}
	t.Value, t.OpaqueID = append(whole, '}'), opaqueID
	return t, nil
}

// maxAnswer limits the answer to a creation, in bytes.
const maxAnswer = 16 << 20
