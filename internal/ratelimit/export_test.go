package ratelimit

import (
	"fmt"
	"time"
)

// String returns the limit in the form that Parse reads.
func (l Limit) String() string {
	switch {
	case l == off:
		return "off"
	case l.period == time.Second:
		return fmt.Sprintf("%d/s", l.events)
	case l.period == time.Minute:
		return fmt.Sprintf("%d/m", l.events)
	}
	return fmt.Sprintf("%d/h", l.events)
}
