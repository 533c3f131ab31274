package verification

import (
	"slices"
	"strings"

	"countersign/internal/fault"
)

// WhileActive returns verification.state once the transaction is over. Cancelling, tokens
// and audit trails require an active one.
func (t Transaction) WhileActive() error {
	if !t.Status.Active() {
		return fault.New(fault.VerificationState)
	}
	return nil
}

// WhenCompleted returns verification.not-ready while the transaction is active, and
// verification.state if it ended without being completed. The evidence requires a
// completed transaction.
func (t Transaction) WhenCompleted() error {
	switch {
	case t.Status == Completed:
		return nil
	case t.Status.Active():
		return fault.New(fault.VerificationNotReady)
	}
	return fault.New(fault.VerificationState)
}

// WhenSucceeded is WhenCompleted for one verification, which must also have succeeded.
// Its pictures require that. A verification that the transaction does not have is
// request.not-found in every state.
func (t Transaction) WhenSucceeded(verification string) error {
	if !slices.ContainsFunc(t.Verifications, func(v Verification) bool { return strings.EqualFold(v.ID, verification) }) {
		return fault.New(fault.RequestNotFound)
	}
	err := t.WhenCompleted()
	if err == nil && !t.Succeeded(verification) {
		err = fault.New(fault.VerificationState)
	}
	return err
}
