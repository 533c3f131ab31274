package idv

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// Steering makes transactions in number, shows what is held of one, and changes it.
func (s *Server) Steering() []wire.Route {
	return []wire.Route{
		{Method: post, Path: "/_manage/transactions", Call: wire.JSON(s.makeTransactions)},
		{Method: get, Path: "/_manage/transactions/{transaction}", Call: s.showHeld},
		{Method: post, Path: "/_manage/transactions/{transaction}", Call: wire.JSON(s.changeHeld)},
	}
}

// maxEvidence is how large the evidence can be made: 1 GiB.
const maxEvidence = 1 << 30

// AccountInput is what the account is to be like; a member that is absent or null
// stays as it is.
type AccountInput struct {
	CallbackURL  *string `json:"verificationCallbackURL"` // "": nobody is told of events
	EvidenceSize *int64  `json:"evidenceSize"`            // in bytes; 0: as it comes
}

// Check names what is wrong with it.
func (in AccountInput) Check(rules *wire.Rules) {
	if in.CallbackURL != nil {
		rules.Address("verificationCallbackURL", *in.CallbackURL)
	}
	if in.EvidenceSize != nil && (*in.EvidenceSize < 0 || *in.EvidenceSize > maxEvidence) {
		rules.Broken("evidenceSize", "must be a number of bytes, at most "+strconv.Itoa(maxEvidence))
	}
}

// SetAccount sets what the account is like.
func (s *Server) SetAccount(in AccountInput) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if in.CallbackURL != nil {
		s.store.callbackURL = *in.CallbackURL
	}
	if in.EvidenceSize != nil {
		s.store.evidenceSize = *in.EvidenceSize
	}
}

// transactionsInput asks for transactions in number.
type transactionsInput struct {
	Count    int     `json:"count"`
	OpaqueID *string `json:"opaqueID"`
	Status   *string `json:"status"` // new
}

// maxTransactions is how many transactions one call makes.
const maxTransactions = 200_000

// makeTransactions makes transactions of a sample person, of which nobody is told.
func (s *Server) makeTransactions(_ *http.Request, in transactionsInput) (any, error) {
	var rules wire.Rules
	if in.Count < 1 || in.Count > maxTransactions {
		rules.Broken("count", "must be between 1 and "+strconv.Itoa(maxTransactions))
	}
	checkStatus(&rules, in.Status)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	model := &input{
		WorkflowID: Workflows[0], BrandID: Brands[0], OpaqueID: in.OpaqueID, Tokens: []tokenInput{{Role: "customer"}},
		Users: []jsontext.Value{jsontext.Value(`{"first_name":"Sample","last_name":"Person"}`)}, people: []user{{FirstName: "Sample", LastName: "Person"}},
	}
	now := s.now()
	made := make([]*transaction, in.Count)
	for i := range made {
		t := newTransaction(model, now)
		t.note(notified("transaction_created"), now)
		t.become(changeInput{Status: in.Status}, now)
		made[i] = t
	}
	s.store.add(made)
	return struct {
		IDs [2]string `json:"ids"`
	}{[2]string{made[0].id, made[len(made)-1].id}}, nil
}

// checkStatus takes any state, for clients have to bear those they do not know.
func checkStatus(rules *wire.Rules, status *string) {
	if status != nil && (*status == "" || len(*status) > 64 || strings.TrimSpace(*status) != *status) {
		rules.Broken("status", "must be the name of a state")
	}
}

// showHeld is what the platform holds of a transaction.
func (s *Server) showHeld(r *http.Request) (any, error) {
	t, err := s.store.find(r.PathValue("transaction"))
	if err != nil {
		return nil, err
	}
	return t.view(site(r), true), nil
}

// changeInput is what a transaction is to become; a member that is absent or null
// stays as it is.
type changeInput struct {
	Status *string `json:"status"`
	Result *string `json:"result"` // Passed or Failed
	Stage  *string `json:"stage"`  // what happens in a session
	// FirstName and LastName are what the document says, Completed when it was completed.
	FirstName *string `json:"firstName"`
	LastName  *string `json:"lastName"`
	Completed *string `json:"completed"`
}

// check names what is wrong with it.
func (in changeInput) check(rules *wire.Rules) {
	checkStatus(rules, in.Status)
	rules.OneOf("result", in.Result, passed, failed)
	if in.Stage != nil {
		rules.Required("stage", in.Stage)
	}
	if in.Completed != nil {
		if _, err := time.Parse(time.RFC3339, *in.Completed); err != nil {
			rules.Broken("completed", "must be a time such as 2026-01-31T12:00:00Z")
		}
	}
}

func (s *Server) changeHeld(r *http.Request, in changeInput) (any, error) {
	var rules wire.Rules
	in.check(&rules)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	_, err := s.store.change(r.PathValue("transaction"), func(t *transaction, now time.Time) error {
		t.become(in, now)
		return nil
	})
	return nil, err
}

// become makes the transaction what was asked for, as if its person had done it. One
// that completes without a result has passed.
func (t *transaction) become(in changeInput, now time.Time) {
	if in.Stage != nil {
		t.did(event{Role: t.tokens[0].role}, *in.Stage, now)
	}
	if in.Status != nil && *in.Status != statusCompleted {
		t.result, t.completed = "", time.Time{}
	}
	switch {
	case in.Result != nil:
		t.settle(*in.Result)
	case in.Status != nil && *in.Status == statusCompleted && t.result == "":
		t.settle(passed)
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
