package idv

import (
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// The results of marking and unmarking a transaction (docs/platform.md V2).
const (
	markAccepted    = "Transaction Erase Request - Accepted"
	markFieldError  = "Transaction Erase Request - ID field error"
	unmarkAccepted  = "Transaction Recovery - Accepted"
	unmarkFieldErr  = "Transaction Recovery - ID field error"
	unmarkNotFound  = "Transaction Recovery - Transaction Not Found"
	maxErased       = 500
	maxGrace        = 36_500
	overallMessage  = "The request was processed"
	messageAccepted = "The transaction was found"
	messageRefused  = "The transaction was not found"
)

type markInput struct {
	GracePeriod    *int     `json:"grace_period"` // in days
	TransactionIDs []string `json:"transaction_ids"`
}

type unmarkInput struct {
	TransactionIDs []string `json:"transaction_ids"`
}

// erasureItem is the result for one id.
type erasureItem struct {
	TransactionID  string `json:"transaction_id"`
	MarkingEvent   string `json:"marking_event,omitempty"`
	UnmarkingEvent string `json:"unmarking_event,omitempty"`
	Message        string `json:"message"`
}

type erasureAnswer struct {
	Message      string        `json:"message"`
	Transactions []erasureItem `json:"transactions"`
}

func checkIDs(rules *wire.Rules, ids []string) {
	if len(ids) < 1 || len(ids) > maxErased {
		rules.Broken("transaction_ids", "must be 1 to "+strconv.Itoa(maxErased)+" ids")
	}
}

// mark marks transactions for erasure after the grace period; a period of 0 erases them
// at once. The last mark counts.
func (s *Server) mark(_ *http.Request, in markInput) (any, error) {
	var rules wire.Rules
	if in.GracePeriod == nil {
		rules.Broken("grace_period", "is required")
	}
	wire.Between(&rules, "grace_period", in.GracePeriod, 0, maxGrace)
	checkIDs(&rules, in.TransactionIDs)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	period := time.Duration(*in.GracePeriod) * day
	return s.setErasure(in.TransactionIDs, markAccepted, func(now time.Time) time.Time { return now.Add(period) }, func(item *erasureItem, known bool) {
		if item.MarkingEvent = markAccepted; !known {
			item.MarkingEvent = markFieldError
		}
	}), nil
}

// unmark removes marks.
func (s *Server) unmark(_ *http.Request, in unmarkInput) (any, error) {
	var rules wire.Rules
	checkIDs(&rules, in.TransactionIDs)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	none := func(time.Time) time.Time { return time.Time{} }
	return s.setErasure(in.TransactionIDs, unmarkAccepted, none, func(item *erasureItem, known bool) {
		switch {
		case known:
			item.UnmarkingEvent = unmarkAccepted
		case uuid.Validate(item.TransactionID) != nil:
			item.UnmarkingEvent = unmarkFieldErr
		default:
			item.UnmarkingEvent = unmarkNotFound
		}
	}), nil
}

// setErasure gives transactions the time of their erasure, with an event. Its answer has an item
// for each, which tell completes for a transaction that is known or not.
func (s *Server) setErasure(ids []string, trigger string, at func(now time.Time) time.Time, tell func(item *erasureItem, known bool)) erasureAnswer {
	answer := erasureAnswer{Message: overallMessage}
	for _, id := range ids {
		_, err := s.store.change(id, func(t *transaction, now time.Time) error {
			t.erasure = at(now)
			t.note(notified(trigger), now)
			return nil
		})
		item := erasureItem{TransactionID: id, Message: messageAccepted}
		if err != nil {
			item.Message = messageRefused
		}
		tell(&item, err == nil)
		answer.Transactions = append(answer.Transactions, item)
	}
	return answer
}
