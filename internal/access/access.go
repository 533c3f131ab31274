// Package access has what the indexes of electronic signing and of identity verification
// share: the person who asks, and the space of an index in Redis, whose names and records
// are sealed under a key of its own. It knows neither packages nor transactions.
package access

import "time"

// Person asks for packages and transactions.
type Person struct {
	// User is the canonical userID@domain.
	User string
	// Email is the person's address as intake.FoldAddress has it; empty where there is
	// none or where it is not trusted, and then nobody is signer or owner by it.
	Email string
	// Operator says that the person acts for the whole account.
	Operator bool
}

const (
	// RefreshWithin bounds what is done for a request that has its answer already.
	RefreshWithin = 15 * time.Second
	// MissedFor limits how long an index remembers that it has nothing for a person under
	// an id.
	MissedFor = time.Minute
	// LookupLife is how long the look-up of a node that died keeps others from the same
	// one, LookupWait how long one request waits for another.
	LookupLife = 2 * time.Second
	LookupWait = 30 * time.Second
)
