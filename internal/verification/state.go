package verification

import (
	"slices"
	"strings"

	"countersign/internal/fault"
)

// WhileActive allows what is done before the end: cancelling, a token, an audit trail.
func (t Transaction) WhileActive() error {
	if !t.Status.Active() {
		return fault.New(fault.VerificationState)
	}
	return nil
}

// WhenCompleted allows what there is behind the end: the evidence.
func (t Transaction) WhenCompleted() error {
	switch {
	case t.Status == Completed:
		return nil
	case t.Status.Active():
		return fault.New(fault.VerificationNotReady)
	}
	return fault.New(fault.VerificationState)
}

// WhenSucceeded allows the pictures of a verification of that id; one that the transaction
// has not is request.not-found, whatever its state.
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
