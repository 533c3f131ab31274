package platform

import (
	"errors"
	"slices"
	"strings"

	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// errOther rejects an answer about another transaction than was asked for.
var errOther = errors.New("the answer is about another transaction or verification")

// objects are the operations whose answer has the id of its transaction as id. Whose id a
// detailed report has is not public.
var objects = []string{getTransaction.Name, cancelTransaction.Name}

// ofSubjectAlone returns the judge of answers to o: one that names another transaction or
// verification than the path may be the answer to another request.
func ofSubjectAlone(o upstream.Operation, values map[string]string) func(body []byte) error {
	transaction, check := values["transaction"], values["verification"]
	if transaction == "" {
		return nil
	}
	return func(body []byte) error {
		var named struct {
			ID           string `json:"id"`
			Transaction  string `json:"transaction_id"`
			Verification string `json:"verification_id"`
		}
		err := verification.Unmarshal(body, &named)
		if !slices.Contains(objects, o.Name) {
			named.ID = ""
		}
		isThis := isNamed(named.ID, transaction) && isNamed(named.Transaction, transaction) && (check == "" || isNamed(named.Verification, check))
		if err == nil && !isThis {
			return errOther
		}
		return nil // what cannot be read is an error where the answer is used
	}
}

// isNamed reports whether an answer names what was asked for, or nothing.
func isNamed(named, asked string) bool { return named == "" || strings.EqualFold(named, asked) }
