package platform

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Address is a client's IP address as limits, sessions and the audit trail know it. The
// platform takes dotted IPv4 alone (docs/platform.md I5): an IPv4-mapped IPv6 address is
// written as IPv4, and any other is left out, by omitzero.
type Address string

// dotted returns a in dotted form; "" if it has none.
func (a Address) dotted() string {
	ip, err := netip.ParseAddr(string(a))
	if err != nil || !ip.Unmap().Is4() {
		return ""
	}
	return ip.Unmap().String()
}

// IsZero reports whether a is left out.
func (a Address) IsZero() bool { return a.dotted() == "" }

// MarshalText returns the dotted form.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.dotted()), nil }

// SessionStatus is the state of a sign-in or a transaction.
type SessionStatus string

// The statuses (docs/platform.md I5, I6).
const (
	StatusUnknown  SessionStatus = "unknown"
	StatusPending  SessionStatus = "pending"
	StatusAccepted SessionStatus = "accepted"
	StatusRefused  SessionStatus = "refused"
	StatusTimeout  SessionStatus = "timeout"
	StatusFailed   SessionStatus = "failed"
)

// UnmarshalText reads a status in any case. The platform says failed at login and failure
// when polled, which mean the same. Any other word is an error, because a guess might let
// a person in.
func (s *SessionStatus) UnmarshalText(text []byte) error {
	status := SessionStatus(strings.ToLower(string(text)))
	switch status {
	case "failure":
		status = StatusFailed
	case StatusUnknown, StatusPending, StatusAccepted, StatusRefused, StatusTimeout, StatusFailed:
	default:
		return fmt.Errorf("%.40q is not a session status", text)
	}
	*s = status
	return nil
}

// Number is an integer that the platform sends as a number or, in places, as a
// string (docs/platform.md I9). It is written as a number.
type Number int64

// UnmarshalJSONFrom reads either form.
func (n *Number) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	text := string(value)
	if value.Kind() == '"' {
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not an integer", text)
	}
	*n = Number(i)
	return nil
}

func (n *Number) int() int {
	if n == nil {
		return 0
	}
	return int(*n)
}

// timestamp is a time of the platform: RFC 3339, an offset without its colon, no offset
// (UTC), or milliseconds since 1970. Anything else is the zero time, like an absent one,
// because a bad date is no reason to hide a person's authenticators from them.
type timestamp struct{ time.Time }

var layouts = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// UnmarshalJSONFrom reads any of these forms.
func (m *timestamp) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	m.Time = time.Time{}
	switch value.Kind() {
	case '0':
		if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			m.Time = time.UnixMilli(ms).UTC()
		}
	case '"':
		text, err := jsontext.AppendUnquote(make([]byte, 0, len(time.RFC3339Nano)), value)
		if err != nil {
			return err
		}
		m.Time = parseTime(string(text))
	}
	return nil
}

func parseTime(text string) time.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
