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
	if in.GracePeriod == nil || *in.GracePeriod < 0 || *in.GracePeriod > maxGrace {
		rules.Broken("grace_period", "must be a number of days, at most "+strconv.Itoa(maxGrace))
	}
	checkIDs(&rules, in.TransactionIDs)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	answer := erasureAnswer{Message: overallMessage}
	for _, id := range in.TransactionIDs {
		_, err := s.store.change(id, func(t *transaction, now time.Time) error {
			t.erasure = now.Add(time.Duration(*in.GracePeriod) * day)
			t.note(notified(markAccepted), now)
			return nil
		})
		item := erasureItem{TransactionID: id, MarkingEvent: markAccepted, Message: messageAccepted}
		if err != nil {
			item.MarkingEvent, item.Message = markFieldError, messageRefused
		}
		answer.Transactions = append(answer.Transactions, item)
	}
	return answer, nil
}

// unmark removes marks.
func (s *Server) unmark(_ *http.Request, in unmarkInput) (any, error) {
	var rules wire.Rules
	checkIDs(&rules, in.TransactionIDs)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	answer := erasureAnswer{Message: overallMessage}
	for _, id := range in.TransactionIDs {
		_, err := s.store.change(id, func(t *transaction, now time.Time) error {
			t.erasure = time.Time{}
			t.note(notified(unmarkAccepted), now)
			return nil
		})
		item := erasureItem{TransactionID: id, UnmarkingEvent: unmarkAccepted, Message: messageAccepted}
		switch {
		case err == nil:
		case uuid.Validate(id) != nil:
			item.UnmarkingEvent, item.Message = unmarkFieldErr, messageRefused
		default:
			item.UnmarkingEvent, item.Message = unmarkNotFound, messageRefused
		}
		answer.Transactions = append(answer.Transactions, item)
	}
	return answer, nil
}
