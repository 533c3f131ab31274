package upstream

import "time"

// The outcomes of a call without a whole response.
const (
	OutcomeCancelled   = "cancelled"    // our own client hung up
	OutcomeCircuitOpen = "circuit-open" // it was not tried
	OutcomeTimeout     = "timeout"      // no response in time
	OutcomeUntrusted   = "untrusted"    // a certificate was refused, theirs or ours
	OutcomeBroken      = "broken"       // the response broke off, or is too long
	OutcomeUnreachable = "unreachable"  // no connection
	OutcomeInternal    = "internal"     // the path does not lead to the platform
)

// Observation describes how one call ended.
type Observation struct {
	// Operation is the call's, or "relay".
	Operation string
	// Outcome is a status of three digits, or one of the Outcomes.
	Outcome string
	// Elapsed is the duration of the call, with its repetitions.
	Elapsed time.Duration
}
