package idv

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// Management returns the management calls: they create many transactions, show one with its
// internal state, and change it.
func (s *Server) Management() []wire.Route {
	return []wire.Route{
		{Method: post, Path: "/_manage/transactions", Call: wire.JSON(s.makeTransactions)},
		{Method: get, Path: "/_manage/transactions/{transaction}", Call: s.ofTransaction(s.showHeld)},
		{Method: post, Path: "/_manage/transactions/{transaction}", Call: wire.JSON(s.changeHeld)},
	}
}

// maxEvidence limits the size of the evidence: 1 GiB.
const maxEvidence = 1 << 30

// AccountInput changes the account; a member that is absent or null stays unchanged.
type AccountInput struct {
	CallbackURL  *string `json:"verificationCallbackURL"` // "" sends no events
	EvidenceSize *int64  `json:"evidenceSize"`            // in bytes; 0: the natural size
}

// Check reports what is wrong with it.
func (in AccountInput) Check(rules *wire.Rules) {
	if in.CallbackURL != nil {
		rules.Address("verificationCallbackURL", *in.CallbackURL)
	}
	wire.Between(rules, "evidenceSize", in.EvidenceSize, 0, maxEvidence)
}

// SetAccount changes the account.
func (s *Server) SetAccount(in AccountInput) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	wire.Set(&s.store.callbackURL, in.CallbackURL)
	wire.Set(&s.store.evidenceSize, in.EvidenceSize)
}

// Held returns every transaction, for people.
func (s *Server) Held() (all []wire.Held) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for _, t := range s.store.transactions {
		person := t.input.people[0]
		all = append(all, wire.Held{State: t.status, ID: t.id, Name: person.FirstName + " " + person.LastName, Since: t.created})
	}
	return all
}

// transactionsInput is the request for many transactions.
type transactionsInput struct {
	Count    int     `json:"count"`
	OpaqueID *string `json:"opaqueID"`
	Status   *string `json:"status"` // new
}

// maxTransactions limits the transactions of one call.
const maxTransactions = 200_000

// makeTransactions makes transactions of a sample person without sending events.
func (s *Server) makeTransactions(_ *http.Request, in transactionsInput) (any, error) {
	var rules wire.Rules
	wire.Between(&rules, "count", &in.Count, 1, maxTransactions)
	checkStatus(&rules, "status", in.Status)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	model := inputOf(user{FirstName: "Sample", LastName: "Person"}, in.OpaqueID)
	now := s.now()
	made := make([]*transaction, in.Count)
	for i := range made {
		made[i] = newTransaction(model, "", now)
		made[i].become(changeInput{Status: in.Status}, now)
	}
	s.store.add(made)
	return struct {
		IDs [2]string `json:"ids"`
	}{[2]string{made[0].id, made[len(made)-1].id}}, nil
}

// inputOf returns the payload of a transaction of that person, whose names are plain.
func inputOf(person user, opaqueID *string) *input {
	names, err := json.Marshal(map[string]string{"first_name": person.FirstName, "last_name": person.LastName})
	if err != nil { // invalid UTF-8, which no reader of ours lets through
		names = []byte("{}")
	}
	made := newInput()
	made.WorkflowID, made.BrandID, made.OpaqueID, made.Tokens = Workflows()[0], Brands()[0], opaqueID, []tokenInput{{Role: "customer"}}
	made.Users, made.people = []jsontext.Value{names}, []user{person}
	return &made
}

// checkStatus accepts any state, because clients have to bear unknown ones.
func checkStatus(rules *wire.Rules, field string, status *string) {
	if status != nil && (*status == "" || len(*status) > 64 || strings.TrimSpace(*status) != *status) {
		rules.Broken(field, "must be the name of a state")
	}
}

// showHeld answers with all that the platform holds of a transaction.
func (s *Server) showHeld(r *http.Request, t *transaction) (any, error) {
	return t.view(site(r), true), nil
}

// changeInput changes a transaction; a member that is absent or null stays unchanged.
type changeInput struct {
	Status *string `json:"status"`
	Result *string `json:"result"` // Passed or Failed
	Stage  *string `json:"stage"`  // the last event in a session
	// FirstName and LastName are the names in the document, Completed is the time of
	// completion.
	FirstName *string `json:"firstName"`
	LastName  *string `json:"lastName"`
	Completed *string `json:"completed"`
}

// check reports what is wrong with it; prefix leads to its members.
func (in changeInput) check(rules *wire.Rules, prefix string) {
	checkStatus(rules, prefix+"status", in.Status)
	rules.OneOf(prefix+"result", in.Result, passed, failed)
	if in.Stage != nil {
		rules.Required(prefix+"stage", in.Stage)
	}
	if in.Completed != nil {
		if _, err := time.Parse(time.RFC3339, *in.Completed); err != nil {
			rules.Broken(prefix+"completed", "must be a time such as 2026-01-31T12:00:00Z")
		}
	}
}

func (s *Server) changeHeld(r *http.Request, in changeInput) (any, error) {
	var rules wire.Rules
	in.check(&rules, "")
	if err := rules.Err(); err != nil {
		return nil, err
	}
	_, err := s.store.change(r.PathValue("transaction"), func(t *transaction, now time.Time) error {
		t.become(in, now)
		return nil
	})
	return nil, err
}

// become changes the transaction as requested, as if by its person's actions. Without a
// requested result, a completed transaction has passed.
func (t *transaction) become(in changeInput, now time.Time) {
	if in.Stage != nil {
		t.recordAction(event{Role: t.tokens[0].role}, *in.Stage, now)
	}
	if in.Status != nil && *in.Status != statusCompleted {
		t.result, t.completed = "", time.Time{}
	}
	switch {
	case in.Result != nil:
		t.setResult(*in.Result)
	case in.Status != nil && *in.Status == statusCompleted && t.result == "":
		t.setResult(passed)
	}
	if in.FirstName != nil {
		t.says.first = in.FirstName
	}
	if in.LastName != nil {
		t.says.last = in.LastName
	}
	if in.Status != nil && *in.Status != t.status {
		switch t.status = *in.Status; t.active() {
		case true:
			t.note(notified(t.status), now)
		case false:
			t.end(t.status, now)
		}
	}
	if at, err := time.Parse(time.RFC3339, or(in.Completed, "")); err == nil && t.status == statusCompleted {
		t.completed = at
	}
}
