package verification

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Shown says what of an answer of the platform a person is shown.
type Shown struct {
	// Transaction is its id.
	Transaction string
	// Tokens says that tokens are shown.
	Tokens bool
	// Without are members of the whole that are left out.
	Without []string
	// Own is the client's own opaque_id in place of what stands at the platform; false
	// leaves the member out.
	Own func(opaqueID string) (string, bool)
	// Ours returns our address in place of one of the platform's; false takes it out, and so
	// does nil.
	Ours func(address string) (string, bool)
}

// Show is an answer as a person is shown it: without the tenant, without tokens that
// are not theirs, and with no address of the platform but its pages'. An answer that
// cannot be read, or has a token whose page is elsewhere, is platform.failed.
func (c *Client) Show(body jsontext.Value, how Shown) (jsontext.Value, error) {
	w := &writer{Shown: how, client: c, decoder: jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if w.Ours == nil {
		w.Ours = func(string) (string, bool) { return "", false }
	}
	if w.decoder.PeekKind() != '{' {
		return nil, unreadable(errors.New("no object"))
	}
	err := w.value()
	if err != nil {
		return nil, unreadable(err)
	}
	return w.out, nil
}

// writer writes a value anew.
type writer struct {
	Shown
	client  *Client
	decoder *jsontext.Decoder
	out     []byte
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
	w.text(w.client.withoutAddresses(token.String(), w.Ours))
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
		w.text(w.client.withoutAddresses(name, w.Ours))
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

// member writes the value of a member; false leaves it out.
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

// tokens writes tokens with the addresses of the platform's pages, which stay as they
// are.
func (w *writer) tokens() error {
	var tokens []struct {
		Token
		Version int64 `json:"version"`
	}
	if err := json.UnmarshalDecode(w.decoder, &tokens, jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	for i := range tokens {
		if err := w.client.complete(&tokens[i].Token, w.Transaction); err != nil {
			return err
		}
	}
	text, err := json.Marshal(tokens)
	w.out = append(w.out, text...)
	return err
}

// begin is how an address begins, with a slash as it is spelled in JSON, and in JSON
// within a string of JSON. The scheme may be missing.
var begin = regexp.MustCompile(`(?i)(?:\b[a-z][a-z0-9+.-]*:)?` + slash + slash)

const slash = `(?:\\*/|\\+u002[fF])`

var slashes = regexp.MustCompile(slash)

// withoutAddresses is text with our addresses in place of the platform's, or with
// nothing there. An address within another one counts too.
func (c *Client) withoutAddresses(text string, ours func(string) (string, bool)) string {
	var out strings.Builder
	for {
		at := begin.FindStringIndex(text)
		if at == nil {
			return out.String() + text
		}
		out.WriteString(text[:at[0]])
		if !c.isOwn(text[at[0]:at[1]], text[at[1]:]) {
			out.WriteString(text[at[0]:at[1]])
			text = text[at[1]:]
			continue
		}
		address := text[at[0]:]
		if end := strings.IndexAny(address, " \t\r\n\"'<>"); end >= 0 {
			address = address[:end]
		}
		address = strings.TrimRight(address, `\,;)]}`) // what ends a string within the string is none of it
		if other, ok := ours(plain(address)); ok {
			out.WriteString(other)
		}
		text = text[at[0]+len(address):]
	}
}

// plain is an address with its slashes as they are.
func plain(address string) string { return slashes.ReplaceAllLiteralString(address, "/") }
