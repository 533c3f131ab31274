// Package access is shared by both indexes: the actor who makes a request, and encrypted
// namespaces in Redis. It knows neither packages nor transactions.
package access

import "time"

// Person is a person who asks for packages or transactions.
type Person struct {
	// User is the canonical userID@domain.
	User string
	// Email is the person's address, folded by payload.FoldAddress. It is empty if there
	// is none or it is not trusted; such a person is nobody's signer or owner by address.
	Email string
	// Operator says that the person acts for the whole account.
	Operator bool
}

// RefreshWithin limits work on the index that outlives its request.
const RefreshWithin = 15 * time.Second
