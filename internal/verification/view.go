package verification

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// ViewOptions says which part of an answer a person may see.
type ViewOptions struct {
	// Transaction is the id of the transaction.
	Transaction string
	// Tokens keeps the tokens.
	Tokens bool
	// Without names members of the outermost object to leave out.
	Without []string
	// Own returns the client's own opaque_id for the platform's. If it returns false, the
	// member is left out.
	Own func(opaqueID string) (string, bool)
	// Ours returns our address for one of the platform's. If it returns false, or is nil,
	// the address is removed.
	Ours func(address string) (string, bool)
}

// Show returns the part of an answer that a person may see: without the tenant, without
// tokens unless how.Tokens is set, and without addresses of the platform other than
// tokens' pages. The error is platform.failed if the answer cannot be read or a token's
// page is not on Sites.
func (a Addresses) Show(body jsontext.Value, how ViewOptions) (jsontext.Value, error) {
	w := &writer{ViewOptions: how, addresses: a, decoder: jsontext.NewDecoder(bytes.NewReader(body), payload.Tolerant())}
	if w.Ours == nil {
		w.Ours = func(string) (string, bool) { return "", false }
	}
	if w.decoder.PeekKind() != '{' {
		return nil, Unreadable(errors.New("no object"))
	}
	err := w.value()
	if err != nil {
		return nil, Unreadable(err)
	}
	return w.out, nil
}

// writer copies a JSON value and changes what a person may not see.
type writer struct {
	ViewOptions
	addresses Addresses
	decoder   *jsontext.Decoder
	out       []byte
}

func (w *writer) value() error {
	switch w.decoder.PeekKind() {
	case '{':
		return w.object()
	case '[':
		return w.array()
	}
	token, err := w.decoder.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '"' {
		w.out = append(w.out, token.String()...)
		return nil
	}
	w.text(w.addresses.withoutAddresses(token.String(), w.Ours))
	return nil
}

// text appends a string.
func (w *writer) text(s string) {
	w.out, _ = jsontext.AppendQuote(w.out, strings.ToValidUTF8(s, "\ufffd"))
}

func (w *writer) array() error {
	if _, err := w.decoder.ReadToken(); err != nil {
		return err
	}
	w.out = append(w.out, '[')
	for first := true; w.decoder.PeekKind() != ']'; first = false {
		if !first {
			w.out = append(w.out, ',')
		}
		if err := w.value(); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	_, err := w.decoder.ReadToken()
	return err
}

func (w *writer) object() error {
	whole := w.decoder.StackDepth() == 0
	if _, err := w.decoder.ReadToken(); err != nil {
		return err
	}
	w.out = append(w.out, '{')
	empty := true
	for w.decoder.PeekKind() != '}' {
		token, err := w.decoder.ReadToken()
		if err != nil {
			return err
		}
		name, begin := token.String(), len(w.out)
		if !empty {
			w.out = append(w.out, ',')
		}
		w.text(w.addresses.withoutAddresses(name, w.Ours))
		w.out = append(w.out, ':')
		kept, err := w.member(name, whole)
		if err != nil {
			return err
		}
		if !kept {
			w.out = w.out[:begin]
		}
		empty = empty && !kept
	}
	w.out = append(w.out, '}')
	_, err := w.decoder.ReadToken()
	return err
}

// member writes the value of a member. It returns false if the member is left out.
func (w *writer) member(name string, ofWhole bool) (bool, error) {
	for _, left := range w.Without {
		if ofWhole && name == left {
			return false, w.decoder.SkipValue()
		}
	}
	switch name {
	case "tenant_id":
		return false, w.decoder.SkipValue()
	case "opaque_id":
		var value any
		if err := json.UnmarshalDecode(w.decoder, &value); err != nil {
			return false, err
		}
		text, _ := value.(string)
		own, ok := w.Own(text)
		w.text(own)
		return ok, nil
	case "tokens":
		if ofWhole && w.Tokens {
			return true, w.tokens()
		}
		return false, w.decoder.SkipValue()
	case "access_token", "accessUrl", "token":
		return false, w.decoder.SkipValue()
	}
	return true, w.value()
}

// tokens writes tokens, with the unchanged addresses of their pages.
func (w *writer) tokens() error {
	var tokens []struct {
		Token
		Version int64 `json:"version"`
	}
	if err := json.UnmarshalDecode(w.decoder, &tokens, jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	for i := range tokens {
		if err := w.addresses.Complete(&tokens[i].Token, w.Transaction); err != nil {
			return err
		}
	}
	text, err := json.Marshal(tokens)
	w.out = append(w.out, text...)
	return err
}

// begin matches the beginning of an address. The scheme may be missing, and the slashes
// may be escaped as in JSON or as in JSON within a JSON string.
var begin = regexp.MustCompile(`(?i)(?:\b[a-z][a-z0-9+.-]*:)?` + slash + slash)

const slash = `(?:\\*/|\\+u002[fF])`

var slashes = regexp.MustCompile(slash)

// withoutAddresses replaces the platform's addresses in text by ours or by nothing, even
// inside other addresses.
func (a Addresses) withoutAddresses(text string, ours func(string) (string, bool)) string {
	var out strings.Builder
	for {
		at := begin.FindStringIndex(text)
		if at == nil {
			return out.String() + text
		}
		out.WriteString(text[:at[0]])
		if !a.isOwn(text[at[0]:at[1]], text[at[1]:]) {
			out.WriteString(text[at[0]:at[1]])
			text = text[at[1]:]
			continue
		}
		address := text[at[0]:]
		if end := strings.IndexAny(address, " \t\r\n\"'<>"); end >= 0 {
			address = address[:end]
		}
		address = strings.TrimRight(address, `\,;)]}`) // punctuation that ends a string within the string does not belong to the address
		if other, ok := ours(plain(address)); ok {
			out.WriteString(other)
		}
		text = text[at[0]+len(address):]
	}
}

// plain unescapes the slashes of an address.
func plain(address string) string { return slashes.ReplaceAllLiteralString(address, "/") }
