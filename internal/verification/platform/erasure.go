package platform

import (
	"context"
	"strings"

	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// The platform's events that say whether an id was accepted (docs/platform.md V2).
const (
	EraseAccepted    = "Transaction Erase Request - Accepted"
	EraseUnknown     = "Transaction Erase Request - ID field error"
	RecoveryAccepted = "Transaction Recovery - Accepted"
	RecoveryUnknown  = "Transaction Recovery - Transaction Not Found"
	recoveryNoID     = "Transaction Recovery - ID field error"
	recovery         = "Transaction Recovery -"
)

// IsRecovered reports whether an event of unmarking says that the mark was taken back. The
// text of success is not certain: any event of recovery is one but for the two refusals.
func IsRecovered(event string) bool {
	return strings.HasPrefix(event, recovery) && event != RecoveryUnknown && event != recoveryNoID
}

// Mark marks transactions for erasure, and reports for each id whether the platform
// accepted it.
func (c *Client) Mark(ctx context.Context, e verification.Erasure) (map[string]bool, error) {
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
		err = verification.Unmarshal(text, &answer)
	}
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, t := range answer.Transactions {
		done[strings.ToLower(t.ID)] = t.Marked == EraseAccepted || IsRecovered(t.Unmarked)
	}
	return done, nil
}
