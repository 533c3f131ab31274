package index

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/access"
	"countersign/internal/payload"
)

// Standings returns the function that tells each person's standing to the package, by the
// index's policy.
func Standings(value jsontext.Value) (func(access.Person) Standing, error) {
	var p platformPackage
	if err := payload.Unmarshal(value, &p); err != nil {
		return nil, fmt.Errorf("access: read a package: %w", err)
	}
	policy := p.policy()
	return func(person access.Person) Standing {
		if person.Operator {
			return Operator
		}
		return policy.standing(person)
	}, nil
}
