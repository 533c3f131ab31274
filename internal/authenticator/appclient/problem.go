package appclient

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// Problem is an error of Countersign's: RFC 9457 with extension members
// (docs/integrate/errors-and-retries.md).
type Problem struct {
	Status   int    `json:"status"`
	Key      string `json:"key"`
	Title    string `json:"title"`
	Detail   string `json:"detail"`
	Action   string `json:"action"`
	Instance string `json:"instance"` // the request's id
	// UAFStatusCode is the FIDO UAF status code, or 0.
	UAFStatusCode int     `json:"uafStatusCode"`
	Fields        []Field `json:"fields"`
}

// Field is a violation in one member of a request.
type Field struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// problem parses an error; for any other answer it returns the status.
func problem(status int, answer []byte) error {
	p := &Problem{}
	if err := json.Unmarshal(answer, p); err != nil || p.Key == "" {
		return &Problem{Status: status, Title: "an answer that is not Countersign's"}
	}
	p.Status = status
	return p
}

// Error returns title, key and status in one line, and further members below.
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%d", p.Title, p.Status)
	if p.Key != "" {
		fmt.Fprintf(&b, ", %s", p.Key)
	}
	if p.UAFStatusCode != 0 {
		fmt.Fprintf(&b, ", UAF status %d", p.UAFStatusCode)
	}
	b.WriteString(")")
	if p.Detail != "" {
		fmt.Fprintf(&b, "\n  %s", p.Detail)
	}
	for _, f := range p.Fields {
		fmt.Fprintf(&b, "\n  %s: %s", f.Pointer, f.Detail)
	}
	if p.Instance != "" {
		fmt.Fprintf(&b, "\n  request %s", p.Instance)
	}
	return b.String()
}
