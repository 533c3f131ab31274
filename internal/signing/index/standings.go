package index

import (
	"countersign/internal/access"
	"countersign/internal/signing"
)

// Standings returns the function that tells each person's standing to the package, by the
// index's policy.
func Standings(p signing.Package) func(access.Person) AccessLevel {
	policy := policyOf(p)
	return func(person access.Person) AccessLevel {
		if person.Operator {
			return Operator
		}
		return policy.standing(person)
	}
}
