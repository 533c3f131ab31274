package idv

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// The states of a transaction (facts, 4).
const (
	statusNew               = "new"
	statusInProgress        = "workflow_in_progress"
	statusWorkflowCompleted = "workflow_completed"
	statusAutosigned        = "autosigned"
	statusPostProcessing    = "post_processing"
	statusVaulted           = "vaulted"
	statusCompleted         = "completed"
	statusCancelled         = "cancelled"
	statusExpired           = "expired"
	statusError             = "error"
)

// What came out of a transaction, or of one of its checks.
const (
	passed = "Passed"
	failed = "Failed"
)

// expiryDays is how long a transaction can be played where nothing else was asked for
// (facts, 3), expiryLimit how long at most.
const (
	expiryDays  = 90
	expiryLimit = 3650
)

const day = 24 * time.Hour

// transaction is one verification of a person. One that is kept is never changed.
type transaction struct {
	id, status string
	created    time.Time
	completed  time.Time // zero: it is not
	touched    time.Time // its last change
	version    int
	input      *input
	tokens     []token
	events     []event
	played     played
	result     string // "" until it is known
	stage      string // the last thing that happened in a session
	says       names  // what the document says where that is not what was told
	checks     [2]check
	hub        string // the id of what the checks are kept under
	trail      *trail // nil: none was asked for
	erasure    time.Time
}

// names are a person's; nil is what the client has told.
type names struct{ first, last *string }

// newTransaction is what a payload starts.
func newTransaction(in *input, now time.Time) *transaction {
	t := &transaction{
		id: uuid.NewString(), status: statusNew, created: now, touched: now, input: in, hub: uuid.NewString(),
		checks: [2]check{{kind: documentCheck, id: uuid.NewString()}, {kind: faceCheck, id: uuid.NewString()}},
	}
	for _, one := range in.Tokens {
		t.tokens = append(t.tokens, newToken(one.Role, now))
	}
	return t
}

// active reports whether the transaction can still become another.
func (t *transaction) active() bool {
	return !slices.Contains([]string{statusCompleted, statusCancelled, statusExpired, statusError}, t.status)
}

// wantActive refuses what only an active transaction allows.
func (t *transaction) wantActive() error {
	if !t.active() {
		return wire.Conflict("The transaction is " + t.status)
	}
	return nil
}

// wantCompleted refuses what only a completed transaction has.
func (t *transaction) wantCompleted() error {
	if t.status != statusCompleted {
		return wire.Conflict("The transaction is " + t.status)
	}
	return nil
}

// expires is when an active transaction ends by itself.
func (t *transaction) expires() time.Time {
	return t.created.Add(time.Duration(t.input.expiry()) * day)
}

// finish completes the transaction by way of the states before, with what came of
// the checks.
func (t *transaction) finish(now time.Time) {
	t.settle(t.played.result())
	for _, status := range []string{statusWorkflowCompleted, statusAutosigned, statusPostProcessing, statusVaulted} {
		t.status = status
		t.note(notified(status), now)
	}
	t.end(statusCompleted, now)
}

// end gives the transaction its last state.
func (t *transaction) end(status string, now time.Time) {
	t.status = status
	if status == statusCompleted {
		t.completed = now
	}
	t.note(notified("transaction_"+status), now)
}

// unknown is the 404 of a transaction, document or the like.
func unknown(what string) *wire.Error {
	return wire.Refuse(http.StatusNotFound, "The "+what+" was not found")
}
