package idv

import "time"

// trailDelay is how long an audit trail takes to be made.
const trailDelay = 2 * time.Second

// trail is an audit trail that was asked for.
type trail struct {
	id     string
	asked  time.Time
	events []event // until then
	told   bool    // that it is ready
}

// ready is when it can be downloaded.
func (t trail) ready() time.Time { return t.asked.Add(trailDelay) }
