package explain

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// colours are what a terminal takes for colours.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// parse reads a line in JSON or text, with or without what a collector has written before it,
// behind it or around it, and without colours.
func parse(line []byte) record {
	line = bytes.TrimSpace(colours.ReplaceAll(line, nil))
	if members := object(line); members != nil {
		if members["msg"] != nil || members["event"] != nil {
			return texts(members)
		}
		// As Docker, collectors, journald, Loki and clouds wrap a line.
		for _, name := range []string{"log", "message", "MESSAGE", "line", "textPayload", "jsonPayload"} {
			switch wrapped := members[name].(type) {
			case string:
				return parse([]byte(wrapped))
			case map[string]any:
				return texts(wrapped)
			}
		}
		return texts(members)
	}
	if text := bytes.Index(line, []byte("time=")); text >= 0 {
		return pairs(string(line[text:]))
	}
	return nil
}

// object returns the JSON object with which the line begins or, after a space or =, goes on; nil
// if there is none. In a line of text there is none: its quotes are escaped.
func object(line []byte) (members map[string]any) {
	for at := 0; ; {
		next := bytes.IndexByte(line[at:], '{')
		if next < 0 {
			return nil
		}
		if at += next; at == 0 || line[at-1] == ' ' || line[at-1] == '\t' || line[at-1] == '=' || line[at-1] >= 0x80 { // a byte order mark ends so
			d := jsontext.NewDecoder(bytes.NewReader(line[at:]))
			if json.UnmarshalDecode(d, &members) == nil && len(members) > 0 {
				return members
			}
			members = nil
		}
		at++
	}
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
