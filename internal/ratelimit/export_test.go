package ratelimit

import (
	"fmt"
	"time"
)

// String is the limit as Parse reads it.
func (l Limit) String() string {
	switch {
	case l == Off:
		return "off"
	case l.rate.Period == time.Second:
		return fmt.Sprintf("%d/s", l.rate.Rate)
	case l.rate.Period == time.Minute:
		return fmt.Sprintf("%d/m", l.rate.Rate)
	}
	return fmt.Sprintf("%d/h", l.rate.Rate)
}
