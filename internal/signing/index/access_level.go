package index

import (
	"countersign/internal/access"
	"countersign/internal/signing"
)

// AccessLevels returns the function that tells what each person may do with the package, by the
// index's policy.
func AccessLevels(p signing.Package) func(access.Person) AccessLevel {
	policy := policyOf(p)
	return func(person access.Person) AccessLevel {
		if person.Operator {
			return Operator
		}
		return policy.accessOf(person)
	}
}
