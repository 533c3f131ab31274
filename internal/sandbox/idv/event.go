package idv

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"countersign/internal/sandbox/callback"
)

// event is an event of a transaction, and the body of its callback (docs/platform.md V5).
type event struct {
	Timestamp          stamp    `json:"timestamp"`
	Type               string   `json:"type"`
	TransactionID      string   `json:"transaction_id"`
	SessionID          string   `json:"session_id"`
	ID                 string   `json:"id"`
	Trigger            string   `json:"trigger"`
	SkipCommonUX       bool     `json:"skip_common_ux_components"`
	SkipViewState      bool     `json:"skip_view_state"`
	Role               string   `json:"role"`
	Message            string   `json:"message"`
	Fields             []string `json:"fields"`
	DocumentReferences []string `json:"document_references"`
	ClientDevice       device   `json:"client_device"`
	Version            int      `json:"version"`
	// called is set where a call of the account caused it.
	called bool
}

// device is the device on which a person opened the page.
type device struct {
	IPAddress string `json:"ip_address"`
	Name      string `json:"name"`
	OSVersion string `json:"os_version"`
}

// stamp is a time in JSON, in UTC with milliseconds; null if zero.
type stamp struct{ time.Time }

const stampForm = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + s.text() + `"`), nil
}

func (s stamp) text() string { return s.UTC().Format(stampForm) }

// consentAccepted is the type of the event of that name; all others are notifications.
const consentAccepted = "consent_accepted"

// notified returns a notification event.
func notified(trigger string) event { return event{Type: "notification", Trigger: trigger} }

// note adds an event to a transaction that is being changed.
func (t *transaction) note(e event, now time.Time) {
	e.Timestamp, e.TransactionID, e.ID, e.Version = stamp{now}, t.id, uuid.NewString(), t.version
	if e.Message == "" {
		e.Message = e.Trigger
	}
	if e.Fields == nil {
		e.Fields = []string{}
	}
	if e.DocumentReferences == nil {
		e.DocumentReferences = []string{}
	}
	t.events = append(slices.Clip(t.events), e)
}

// ends reports whether a transaction has ended otherwise than by a call of the account.
func (e event) ends() bool {
	status, found := strings.CutPrefix(e.Trigger, "transaction_")
	return found && slices.Contains(overStatuses, status) && !e.called
}

// sendEvents sends the events to the callbacks, in their order.
func (s *Server) sendEvents(events []event) {
	for _, e := range events {
		body, err := json.Marshal(e)
		if err != nil {
			s.log.Error("callback not written", "error", err)
			continue
		}
		for _, to := range []callback.Receiver{s.host, {URL: s.store.callbackURL}} {
			if to.URL != "" && (to != s.host || e.ends()) {
				s.callbacks.Send(callback.Notice{Receiver: to, Body: body})
			}
		}
	}
}
