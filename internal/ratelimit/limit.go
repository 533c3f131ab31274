package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// most bounds a limit's number, far above any useful limit.
const most = 1_000_000

// Limit allows so many events a period, even all of them at once; the zero Limit allows
// everything.
type Limit struct {
	events int
	period time.Duration
}

// off allows everything, without a call to Redis.
var off = Limit{}

// Parse parses a limit of the settings: "10/m", a number above zero and s, m or h, or
// "off".
func Parse(text string) (Limit, error) {
	if text == "off" {
		return off, nil
	}
	number, unit, _ := strings.Cut(text, "/")
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 || n > most || number[0] == '0' {
		return off, malformed(text)
	}
	switch unit {
	case "s":
		return Limit{int(n), time.Second}, nil
	case "m":
		return Limit{int(n), time.Minute}, nil
	case "h":
		return Limit{int(n), time.Hour}, nil
	}
	return off, malformed(text)
}

// Once returns the limit of one event in period.
func Once(period time.Duration) Limit {
	return Limit{1, period}
}

func malformed(text string) error {
	return fmt.Errorf("ratelimit: %q is not a limit; write a number from 1 to %d and s, m or h, as in 10/m, or off", text, most)
}

// Times returns the limit of n times as many events in the same period.
func (l Limit) Times(n int) Limit {
	l.events *= n
	return l
}

// interval returns how long one event takes to be forgotten.
func (l Limit) interval() time.Duration { return l.period / time.Duration(l.events) }
