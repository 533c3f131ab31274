package cli

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/authenticator/appclient"
)

// trace prints an exchange in readable form.
func (t *terminal) trace(e appclient.Exchange) {
	fmt.Fprintf(t.Stdout, "  > %s %s\n", e.Method, e.Path)
	switch {
	case e.Bearer && e.Proven:
		fmt.Fprint(t.Stdout, "  > Authorization: DPoP …\n")
	case e.Bearer:
		fmt.Fprint(t.Stdout, "  > Authorization: Bearer …\n")
	}
	if e.Proven {
		fmt.Fprint(t.Stdout, "  > DPoP: …\n")
	}
	if e.Asked {
		fmt.Fprint(t.Stdout, "  > Countersign-Session: bearer\n")
	}
	show(t.Stdout, "  > ", e.Sent)
	if e.Status == 0 {
		fmt.Fprint(t.Stdout, "  < no answer\n")
		return
	}
	fmt.Fprintf(t.Stdout, "  < %d, request %s\n", e.Status, e.RequestID)
	show(t.Stdout, "  < ", e.Received)
}

// show writes body line by line. It unfolds JSON within strings, as in the FIDO messages
// of both protocols, although it was sent folded.
func show(w io.Writer, prefix string, body []byte) {
	if len(body) == 0 {
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err == nil {
		if text, err := json.Marshal(unfolded("", value), jsontext.WithIndent("  "), json.Deterministic(true)); err == nil {
			body = text
		}
	}
	for line := range strings.Lines(string(body)) {
		fmt.Fprint(w, prefix, strings.TrimRight(line, "\n"), "\n")
	}
}

func unfolded(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for member := range v {
			v[member] = unfolded(member, v[member])
		}
	case []any:
		for i := range v {
			v[i] = unfolded("", v[i])
		}
	case string:
		return unfoldedText(name, v)
	}
	return value
}

// unfoldedText unfolds messages, and the base64url of client data, which UAF
// calls fcParams.
func unfoldedText(name, text string) any {
	inner := text
	if name == "fcParams" || name == "clientDataJSON" {
		decoded, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			return text
		}
		inner = string(decoded)
	}
	var value any
	if !strings.HasPrefix(inner, "[") && !strings.HasPrefix(inner, "{") || json.Unmarshal([]byte(inner), &value) != nil {
		return text
	}
	return unfolded("", value)
}
