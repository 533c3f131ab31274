package templates_test

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// document is a page as a browser parses it.
type document struct {
	source string
	root   *html.Node
}

// all returns the elements of the given names, or every element, in document order.
func (d document) all(names ...string) []*html.Node { return within(d.root, names...) }

// one returns the first element for which ok returns true, or nil.
func (d document) one(ok func(*html.Node) bool) *html.Node {
	if i := slices.IndexFunc(d.all(), ok); i >= 0 {
		return d.all()[i]
	}
	return nil
}

// byID returns the element with the id, or nil.
func (d document) byID(id string) *html.Node {
	return d.one(func(n *html.Node) bool { return id != "" && get(n, "id") == id })
}

// text returns all text that a person can read on the page.
func (d document) text() string { return text(d.root) }

// button returns the visible button or link with exactly this name.
func (d document) button(name string) *html.Node {
	return d.one(func(n *html.Node) bool {
		return (n.Data == "button" || n.Data == "a") && !hidden(n) && text(n) == name
	})
}

func within(n *html.Node, names ...string) []*html.Node {
	var out []*html.Node
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && (len(names) == 0 || slices.Contains(names, c.Data)) {
			out = append(out, c)
		}
	}
	return out
}

func get(n *html.Node, name string) string {
	value, _ := lookup(n, name)
	return value
}

func lookup(n *html.Node, name string) (string, bool) {
	if n != nil {
		for _, a := range n.Attr {
			if a.Key == name {
				return a.Val, true
			}
		}
	}
	return "", false
}

func has(n *html.Node, name string) bool {
	_, ok := lookup(n, name)
	return ok
}

func hidden(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if has(n, "hidden") || get(n, "type") == "hidden" {
			return true
		}
	}
	return false
}

// text returns the visible text of n with white space folded; hidden parts inside n are
// left out.
func text(n *html.Node) string {
	var words []string
	var walk func(*html.Node)
	walk = func(c *html.Node) {
		if c.Type == html.TextNode {
			words = append(words, strings.Fields(c.Data)...)
		}
		if c != n && c.Type == html.ElementNode && (has(c, "hidden") || c.Data == "script" || c.Data == "template") {
			return
		}
		for next := range c.ChildNodes() {
			walk(next)
		}
	}
	walk(n)
	return strings.Join(words, " ")
}
