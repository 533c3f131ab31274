package wire

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Recent is how many of the newest calls are remembered with what was sent and answered.
const Recent = 100

const (
	contentKept  = 8 << 10 // bytes of a body
	contentDepth = 32      // of JSON
)

// Content is a body of a call, of which the beginning is remembered.
type Content struct {
	media  string // its Content-Type
	size   int
	begin  []byte
	tokens bool // the call is about tokens: a member "value" is one
}

func (c *Content) add(part []byte) {
	c.size += len(part)
	c.begin = append(c.begin, part[:min(len(part), contentKept-len(c.begin))]...)
}

// String returns the body for people, without passwords, keys and tokens: JSON and forms
// member by member, of anything else the kind and the length. "" is an empty body.
func (c Content) String() string {
	if c.size == 0 {
		return ""
	}
	var text strings.Builder
	media, parameters, _ := mime.ParseMediaType(c.media) // what cannot be read is of no kind that is shown
	whole := true
	switch {
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		whole = c.writeJSON(&text, c.begin)
	case media == "application/x-www-form-urlencoded":
		c.writeForm(&text)
	case media == "multipart/form-data":
		whole = c.writeParts(&text, parameters["boundary"])
	default:
		return fmt.Sprintf("%d bytes of %s", c.size, cmp.Or(media, "no kind that was named"))
	}
	shown := strings.TrimSpace(text.String())
	if !whole || c.size > len(c.begin) {
		shown = strings.TrimSpace(shown + "\n… (" + strconv.Itoa(c.size) + " bytes)")
	}
	return shown
}

// secretName matches the names of members that are not shown.
var secretName = regexp.MustCompile(`(?i)password|passkey|passcode|secret|token|private_?key|api_?key|callback_?key|^(otp|pin|answer|command)$`)

const hidden = "•••"

// isSecret reports whether a member is not shown. A "key" is one of a callback if it is a text.
func (c Content) isSecret(name string, value jsontext.Kind) bool {
	return secretName.MatchString(name) || value == '"' && (strings.EqualFold(name, "key") || c.tokens && name == "value")
}

// writeJSON reports whether all of it could be read. Of what breaks off, or nests too deep,
// the beginning is written.
func (c Content) writeJSON(w io.Writer, body []byte) bool {
	from := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	to := jsontext.NewEncoder(w, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.Multiline(true), jsontext.WithIndent("  "))
	whole := false
	for from.StackDepth() <= contentDepth {
		token, err := from.ReadToken()
		if err != nil {
			whole = errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
			break
		}
		name := ""
		if kind, count := from.StackIndex(from.StackDepth()); kind == '{' && count%2 == 1 {
			name = token.String()
		}
		if err := to.WriteToken(token); err != nil {
			break
		}
		if name == "" || !c.isSecret(name, from.PeekKind()) {
			continue
		}
		_ = to.WriteToken(jsontext.String(hidden)) // it is its turn
		if from.SkipValue() != nil {
			break
		}
	}
	for to.StackDepth() > 0 {
		end := jsontext.EndObject
		if kind, count := to.StackIndex(to.StackDepth()); kind == '[' {
			end = jsontext.EndArray
		} else if count%2 == 1 {
			_ = to.WriteToken(jsontext.String("…")) // the value of the last name
		}
		_ = to.WriteToken(end) // what is open can be closed
	}
	return whole
}

// Target returns the path and the query of the call for people, without what is secret.
func (e Entry) Target() string {
	if e.Query == "" {
		return e.Path
	}
	parts := strings.Split(e.Query, "&")
	for i, part := range parts {
		escaped, _, _ := strings.Cut(part, "=")
		if name, err := url.QueryUnescape(escaped); err != nil || (Content{}).isSecret(name, '"') {
			parts[i] = escaped + "=" + hidden
		}
	}
	return e.Path + "?" + strings.Join(parts, "&")
}

func (c Content) writeForm(w io.Writer) {
	values, _ := url.ParseQuery(string(c.begin)) // what cannot be read is left out
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if c.isSecret(name, '"') {
				value = hidden
			}
			fmt.Fprintf(w, "%s=%s\n", name, value)
		}
	}
}

// writeParts reports whether all of it could be read.
func (c Content) writeParts(w io.Writer, boundary string) bool {
	for r := multipart.NewReader(bytes.NewReader(c.begin), boundary); ; {
		part, err := r.NextPart()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		content, err := io.ReadAll(part)
		fmt.Fprintf(w, "%s: ", part.FormName())
		if err == nil && part.FileName() == "" && jsontext.Value(content).IsValid() {
			c.writeJSON(w, content)
		} else {
			fmt.Fprint(w, strings.TrimPrefix(fmt.Sprintf("%s, %d bytes", part.FileName(), len(content)), ", "))
		}
		fmt.Fprintln(w)
		if err != nil {
			return false
		}
	}
}
