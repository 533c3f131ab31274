package verification

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

const (
	// maxErased limits the transactions that one request names.
	maxErased = 500
	// MaxGrace limits the days until they are erased.
	MaxGrace = 36_500
)

// Erasure is a checked request to mark transactions for erasure, or to take that back.
type Erasure struct {
	// Days is the grace period; 0 when taking back.
	Days int
	// IDs are the transactions' ids, each once.
	IDs []string
}

// ReadErasure reads and checks the payload of a request to mark transactions or, if
// marking is false, to take marks back. It returns the same errors as ReadCreation.
func ReadErasure(body io.Reader, marking bool) (Erasure, error) {
	text, err := io.ReadAll(body)
	if err != nil {
		return Erasure{}, readError(err)
	}
	whole, err := parse(text)
	if err == nil && whole.kind != '{' {
		err = errors.New("the payload is no object")
	}
	if err != nil {
		return Erasure{}, malformed(err)
	}
	e, erasure := &examination{}, Erasure{}
	if marking {
		erasure.Days = e.days(whole)
	}
	erasure.IDs = e.ids(whole)
	if len(e.fields) > 0 {
		return Erasure{}, fault.Invalid(e.fields...)
	}
	return erasure, nil
}

func (e *examination) days(whole *node) int {
	n := whole.get("grace_period")
	if n == nil {
		e.note("/grace_period", "field.required")
		return 0
	}
	days, err := strconv.ParseFloat(n.text, 64)
	if n.kind != '0' || err != nil || days != math.Trunc(days) || days < 0 || days > MaxGrace {
		e.note("/grace_period", "field.grace-period")
	}
	return int(days)
}

func (e *examination) ids(whole *node) []string {
	n := whole.get("transaction_ids")
	switch {
	case n == nil:
		e.note("/transaction_ids", "field.required")
		return nil
	case n.kind != '[':
		e.note("/transaction_ids", "field.list")
		return nil
	case len(n.elements) == 0 || len(n.elements) > maxErased:
		e.note("/transaction_ids", "field.uuids")
		return nil
	}
	seen, ids := map[string]bool{}, make([]string, 0, len(n.elements))
	for _, element := range n.elements {
		id, ok := ID(element.text)
		switch {
		case !ok || element.kind != '"':
			e.note(element.pointer, "field.uuid")
		case seen[id]:
			e.note(element.pointer, "field.taken")
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids
}

// ID returns a UUID in lower case, and false unless text is one in its canonical form.
func ID(text string) (string, bool) {
	if len(text) != 36 {
		return "", false
	}
	for i, b := range []byte(text) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (b == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(b)) {
			return "", false
		}
	}
	return strings.ToLower(text), true
}

// The platform's events that say whether an id was accepted (docs/platform.md V2).
const (
	EraseAccepted    = "Transaction Erase Request - Accepted"
	EraseUnknown     = "Transaction Erase Request - ID field error"
	RecoveryAccepted = "Transaction Recovery - Accepted"
	RecoveryUnknown  = "Transaction Recovery - Transaction Not Found"
)

// Mark marks transactions for erasure, and reports for each id whether the platform
// accepted it.
func (c *Client) Mark(ctx context.Context, e Erasure) (map[string]bool, error) {
	return c.erase(ctx, markForErasure, map[string]any{"grace_period": e.Days, "transaction_ids": e.IDs})
}

// Unmark takes marks back, and reports for each id whether the platform accepted it.
func (c *Client) Unmark(ctx context.Context, ids []string) (map[string]bool, error) {
	return c.erase(ctx, unmarkForErasure, map[string]any{"transaction_ids": ids})
}

func (c *Client) erase(ctx context.Context, o upstream.Operation, body any) (map[string]bool, error) {
	var answer struct {
		Transactions []struct {
			ID       string `json:"transaction_id"`
			Marked   string `json:"marking_event"`
			Unmarked string `json:"unmarking_event"`
		} `json:"transactions"`
	}
	text, err := c.object(ctx, o, exchange{body: body})
	if err == nil {
		err = unmarshal(text, &answer)
	}
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, t := range answer.Transactions {
		done[strings.ToLower(t.ID)] = t.Marked == EraseAccepted || t.Unmarked == RecoveryAccepted
	}
	return done, nil
}
