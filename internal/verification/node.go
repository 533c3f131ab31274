package verification

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// span is the place of a value in the skeleton.
type span struct{ from, to int }

// node is a value of a payload and its place.
type node struct {
	span
	kind     jsontext.Kind
	pointer  string
	text     string   // of a string; else as it stands there
	names    []string // of the members, in their order
	members  map[string]*node
	elements []*node
}

// parse reads a text that holds one JSON value.
func parse(text []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	n, err := parseValue(d, text, "")
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the payload goes on behind its end")
	}
	return n, nil
}

func parseValue(d *jsontext.Decoder, text []byte, pointer string) (*node, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{kind: token.Kind(), pointer: pointer}
	if n.kind != '{' && n.kind != '[' {
		n.text, n.to = token.String(), int(d.InputOffset())
		n.from = n.to - len(n.text)
		if n.kind == '"' {
			n.from = beginOf(text, n.to)
		}
		return n, nil
	}
	if d.StackDepth() > payload.MaxDepth {
		return nil, payload.ErrTooDeep
	}
	n.from, n.members = int(d.InputOffset())-1, map[string]*node{}
	for i := 0; d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
		name := strconv.Itoa(i)
		if n.kind == '{' {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			name = token.String()
		}
		child, err := parseValue(d, text, pointer+"/"+escaper.Replace(name))
		if err != nil {
			return nil, err
		}
		if n.kind == '[' {
			n.elements = append(n.elements, child)
			continue
		}
		n.names, n.members[name] = append(n.names, name), child
	}
	_, err = d.ReadToken()
	n.to = int(d.InputOffset())
	return n, err
}

// beginOf returns the offset of the opening quote of the string that ends at end.
func beginOf(text []byte, end int) int {
	for i := end - 2; i >= 0; i-- {
		if text[i] == '"' && !escaped(text[:i]) {
			return i
		}
	}
	return 0
}

// escaped reports whether an odd number of backslashes ends text.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// texts returns the strings in n of two bytes or more, and the dates of timestamps.
func (n *node) texts() (all []string) {
	for _, child := range append(slices.Collect(maps.Values(n.members)), n.elements...) {
		all = append(all, child.texts()...)
	}
	if n.kind == '"' && len(n.text) > 1 {
		all = append(all, n.text)
		if day, _, isTime := strings.Cut(n.text, "T"); isTime && len(day) == len(time.DateOnly) {
			all = append(all, day)
		}
	}
	return all
}

// get returns the member of that name, nil if it is absent or null.
func (n *node) get(name string) *node {
	m := n.members[name]
	if m == nil || m.kind == 'n' {
		return nil
	}
	return m
}
