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

// Create has the platform start a transaction from a checked payload. It is never repeated.
// An error that is no *upstream.Error in its chain may have got lost; one that is says
// nothing of people.
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

// startedAs is t with the opaque_id that it was created with, whatever the answer has in
// its place: who creates a transaction has started it.
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

// maxAnswer is how long the answer to a creation may be, in bytes.
const maxAnswer = 16 << 20
