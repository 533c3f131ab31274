package uaf

import (
	"crypto/sha256"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The content types of a transaction.
const (
	ContentPlainText = "text/plain"
	contentPNG       = "image/png"
)

// Transaction is the content that the user sees and confirms (UAF protocol, section on
// the Transaction dictionary). Several in one request are forms of the same.
type Transaction struct {
	ContentType string
	// Content is decoded: ASCII of 1 to 200 characters, or a PNG, which is not looked into.
	Content []byte
}

// NewTextTransaction makes a transaction of plain text: ASCII, 1 to 200
// characters.
func NewTextTransaction(text string) (Transaction, error) {
	t := Transaction{ContentType: ContentPlainText, Content: []byte(text)}
	return t, t.check()
}

// Hash returns the transaction content hash of an assertion: SHA-256 over the content
// after base64url decoding.
func (t Transaction) Hash() []byte {
	digest := sha256.Sum256(t.Content)
	return digest[:]
}

func (t Transaction) check() error {
	switch {
	case len(t.Content) == 0:
		return unacceptable("a transaction without content")
	case t.ContentType == ContentPlainText:
		return checkPlainText(t.Content)
	case t.ContentType != contentPNG:
		return unacceptable("transaction content type is neither %s nor %s", ContentPlainText, contentPNG)
	}
	return nil
}

func checkPlainText(content []byte) error {
	if len(content) > maxPlainText {
		return unacceptable("transaction text of %d characters", len(content))
	}
	for _, c := range content {
		if c > 0x7F {
			return unacceptable("transaction text is not ASCII")
		}
	}
	return nil
}

type transactionWire struct {
	ContentType *string `json:"contentType"`
	Content     *string `json:"content"`
}

// UnmarshalJSONFrom reads and checks the dictionary.
func (t *Transaction) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[transactionWire](dec)
	if err != nil {
		return err
	}
	var text string
	err = first(need(&t.ContentType, wire.ContentType, "contentType"), need(&text, wire.Content, "content"))
	if err != nil {
		return err
	}
	if t.Content, err = decodeBase64URL("transaction", text, 1, MaxMessage); err != nil {
		return err
	}
	return t.check()
}

// MarshalJSONTo writes the dictionary, its content in base64url.
func (t Transaction) MarshalJSONTo(enc *jsontext.Encoder) error {
	text := encodeBase64URL(t.Content)
	return json.MarshalEncode(enc, transactionWire{ContentType: &t.ContentType, Content: &text})
}
