package idv

import (
	"net/http"
	"slices"
	"time"

	"countersign/internal/sandbox/wire"
)

// transactionView is a transaction in the platform's answer (docs/platform.md V2, V3).
type transactionView struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Created   stamp  `json:"created"`
	Completed stamp  `json:"completed"`
	input
	Tokens           []tokenView        `json:"tokens"`
	Documents        []document         `json:"documents"`
	Events           []event            `json:"events"`
	RequestIDs       []string           `json:"request_ids"`
	LastSessionEvent *string            `json:"last_session_event"`
	LastAPIRequest   stamp              `json:"last_api_request"`
	ExpiryTimestamp  stamp              `json:"expiry_timestamp"`
	Verifications    []verificationView `json:"verifications,omitzero"`
	Version          int                `json:"version"`
}

// view returns the transaction as seen at the platform's address site.
func (t *transaction) view(site string, withVerifications bool) transactionView {
	v := transactionView{
		ID: t.id, Status: t.status, Created: stamp{t.created}, Completed: stamp{t.completed}, input: *t.input,
		Tokens: t.tokenViews(site), Documents: slices.Clone(t.input.Documents), Events: t.events,
		RequestIDs: []string{}, LastAPIRequest: stamp{t.touched}, ExpiryTimestamp: stamp{t.expires()}, Version: t.version,
	}
	for i := range v.Documents {
		v.Documents[i].Content = nil
	}
	if t.stage != "" {
		v.LastSessionEvent = &t.stage
	}
	if withVerifications {
		v.Verifications = t.verifications()
	}
	return v
}

// site returns the address that the client uses.
func site(r *http.Request) string { return "http://" + r.Host }

// get answers with a transaction, and with its verifications if requested.
func (s *Server) get(r *http.Request, t *transaction) (any, error) {
	with, err := flag(r, "withVerifications")
	if err != nil {
		return nil, err
	}
	return t.view(site(r), with), nil
}

// flag returns a boolean parameter, false by default.
func flag(r *http.Request, name string) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, wire.Invalid(wire.Violation{Field: name, Message: "must be true or false"})
}

type eventInput struct {
	Trigger string `json:"trigger"`
}

// cancel ends an active transaction. It is the only public trigger of its path
// (docs/platform.md V2).
func (s *Server) cancel(r *http.Request, in eventInput) (any, error) {
	if in.Trigger != "transaction_cancelled" {
		return nil, wire.Invalid(wire.Violation{Field: "trigger", Message: "must be transaction_cancelled"})
	}
	t, err := s.store.change(r.PathValue("transaction"), func(t *transaction, now time.Time) error {
		if err := t.wantActive(); err != nil {
			return err
		}
		t.end(statusCancelled, now)
		t.events[len(t.events)-1].called = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t.view(site(r), true), nil
}
