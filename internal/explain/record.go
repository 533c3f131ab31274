package explain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// record is a line of the log, or an event of the audit trail: its members as texts and lists
// of texts.
type record map[string][]string

// text returns a member; "" if it is not there.
func (r record) text(name string) string { return strings.Join(r[name], " ") }

// names reports whether the record is about the request of that id.
func (r record) names(id string) bool {
	return r.isRequest() && r.text("id") == id || r.isEvent() && r.text("request") == id
}

func (r record) isRequest() bool { return r.text("msg") == "request" }
func (r record) isEvent() bool   { return r.text("event") != "" && r.text("msg") == "" }

// parse reads a line in JSON or text, with or without what a collector has written before it
// or around it.
func parse(line []byte) record {
	text := bytes.Index(line, []byte("time="))
	if begin := bytes.IndexByte(line, '{'); begin >= 0 && (text < 0 || begin < text) {
		var members map[string]any
		if json.Unmarshal(line[begin:], &members) == nil {
			if wrapped, ok := members["log"].(string); ok && members["msg"] == nil {
				return parse([]byte(strings.TrimSpace(wrapped)))
			}
			return texts(members)
		}
	}
	if text >= 0 {
		return pairs(string(line[text:]))
	}
	return nil
}

func texts(members map[string]any) record {
	r := record{}
	for name, value := range members {
		if list, ok := value.([]any); ok {
			for _, one := range list {
				r[name] = append(r[name], fmt.Sprint(one))
			}
			continue
		}
		r[name] = []string{fmt.Sprint(value)}
	}
	return r
}

// pairs reads the form of slog's text: name=value, a value in quotes where it needs them. Of
// a line that ends in the middle the whole pairs count.
func pairs(line string) record {
	r := record{}
	for line != "" {
		name, rest, ok := strings.Cut(line, "=")
		if !ok {
			break
		}
		var value string
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				break
			}
			rest = rest[len(quoted):]
			value, _ = strconv.Unquote(quoted) // what QuotedPrefix returns can be unquoted
			rest = strings.TrimPrefix(rest, " ")
		} else {
			value, rest, _ = strings.Cut(rest, " ")
		}
		r[name] = []string{value}
		if name == "calls" || name == "correlation" {
			r[name] = strings.Fields(strings.Trim(value, "[]"))
		}
		line = rest
	}
	return r
}
