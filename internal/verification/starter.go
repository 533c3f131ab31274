package verification

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// WithStarter returns t with the opaque_id that was sent, whatever the answer says: the
// person who created the transaction is its starter.
func (t Transaction) WithStarter(opaqueID string) (Transaction, error) {
	whole := []byte(`{"opaque_id":` + quote(opaqueID))
	d := jsontext.NewDecoder(bytes.NewReader(t.Value), payload.Tolerant())
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
		return Transaction{}, Unreadable(err)
	}
	t.Value, t.OpaqueID = append(whole, '}'), opaqueID
	return t, nil
}
