package idv

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// The states of a transaction (docs/platform.md V4).
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

// overStatuses are the last states of a transaction.
var overStatuses = []string{statusCompleted, statusCancelled, statusExpired, statusError}

// The results of a transaction, or of one of its checks.
const (
	passed = "Passed"
	failed = "Failed"
)

// expiryDays is the default life of an open transaction (docs/platform.md V3),
// expiryLimit the longest.
const (
	expiryDays  = 90
	expiryLimit = 3650
)

const day = 24 * time.Hour

// transaction is one verification of a person. A stored one is never changed.
type transaction struct {
	id, status string
	created    time.Time
	completed  time.Time // zero before its completion
	touched    time.Time // its last change
	version    int
	input      *input
	tokens     []token
	events     []event
	played     visitChoices
	result     string // "" until it is known
	stage      string // the last event in a session
	says       names  // the document's names, if they differ from the client's
	checks     [2]check
	hub        string // the id under which the checks are kept
	trail      *trail // nil if none was requested
	erasure    time.Time
}

// names are a person's; nil stands for the client's.
type names struct{ first, last *string }

// newTransaction returns a new transaction of a payload; with id "" it makes one.
func newTransaction(in *input, id string, now time.Time) *transaction {
	t := &transaction{
		id: cmp.Or(id, uuid.NewString()), status: statusNew, created: now, touched: now, input: in, hub: uuid.NewString(),
		checks: [2]check{{kind: documentCheck, id: uuid.NewString()}, {kind: faceCheck, id: uuid.NewString()}},
	}
	for _, one := range in.Tokens {
		t.tokens = append(t.tokens, newToken(one.Role, now))
	}
	t.note(notified("transaction_created"), now)
	return t
}

// active reports whether the transaction's state can still change.
func (t *transaction) active() bool {
	return !slices.Contains(overStatuses, t.status)
}

// wantActive refuses an action that only an active transaction allows.
func (t *transaction) wantActive() error {
	if !t.active() {
		return wire.Conflict("The transaction is " + t.status)
	}
	return nil
}

// wantCompleted refuses an object that only a completed transaction has.
func (t *transaction) wantCompleted() error {
	if t.status != statusCompleted {
		return wire.Conflict("The transaction is " + t.status)
	}
	return nil
}

// expires returns the time at which an active transaction expires.
func (t *transaction) expires() time.Time {
	return t.created.Add(time.Duration(t.input.ExpiryPeriod) * day)
}

// finish completes the transaction through the earlier states, with the results of the
// checks.
func (t *transaction) finish(now time.Time) {
	t.setResult(t.played.result())
	for _, status := range []string{statusWorkflowCompleted, statusAutosigned, statusPostProcessing, statusVaulted} {
		t.status = status
		t.note(notified(status), now)
	}
	t.end(statusCompleted, now)
}

// end sets the transaction's last state.
func (t *transaction) end(status string, now time.Time) {
	t.status = status
	if status == statusCompleted {
		t.completed = now
	}
	t.note(notified("transaction_"+status), now)
}

// unknown returns the 404 for a transaction, document or the like.
func unknown(what string) *wire.Error {
	return wire.Refuse(http.StatusNotFound, "The "+what+" was not found")
}
