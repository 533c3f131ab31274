package e2etest

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
)

// Events is a stream of events as its client reads it.
type Events struct {
	*http.Response
	t     testing.TB
	lines *bufio.Scanner
}

// Follow opens the stream of events at a path.
func (c *Client) Follow(path string, headers ...string) *Events {
	c.T.Helper()
	response := c.Stream(path, headers...)
	return &Events{response, c.T, bufio.NewScanner(response.Body)}
}

// Next returns the next message, its lines joined by "|"; "" is the end.
func (e *Events) Next() string {
	var lines []string
	for e.lines.Scan() && e.lines.Text() != "" {
		lines = append(lines, e.lines.Text())
	}
	return strings.Join(lines, "|")
}

// Until returns the messages up to the first that contains text. It stops the test if the stream
// ends before.
func (e *Events) Until(text string) (all string) {
	e.t.Helper()
	for message := e.Next(); message != ""; message = e.Next() {
		if all += message + "\n"; strings.Contains(message, text) {
			return all
		}
	}
	e.t.Fatalf("the stream ends without %q: %s (%v)", text, all, e.lines.Err())
	return all
}

// Rest returns the messages until the stream ends.
func (e *Events) Rest() (all string) {
	for message := e.Next(); message != ""; message = e.Next() {
		all += message + "\n"
	}
	return all
}
