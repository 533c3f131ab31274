package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-redis/redis_rate/v10"
)

// most bounds a limit's number, far above any that limits something.
const most = 1_000_000

// Limit is so many events a period, all of them at once if need be; the zero
// Limit lets everything pass.
type Limit struct{ rate redis_rate.Limit }

// Off lets everything pass, without asking Redis.
var Off = Limit{}

// Parse reads a limit as settings spell it: "10/m", a number above zero and s, m
// or h, or "off".
func Parse(text string) (Limit, error) {
	if text == "off" {
		return Off, nil
	}
	number, unit, _ := strings.Cut(text, "/")
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 || n > most || number[0] == '0' {
		return Off, malformed(text)
	}
	switch unit {
	case "s":
		return Limit{redis_rate.PerSecond(int(n))}, nil
	case "m":
		return Limit{redis_rate.PerMinute(int(n))}, nil
	case "h":
		return Limit{redis_rate.PerHour(int(n))}, nil
	}
	return Off, malformed(text)
}

// Once is one event in period.
func Once(period time.Duration) Limit {
	return Limit{redis_rate.Limit{Rate: 1, Burst: 1, Period: period}}
}

func malformed(text string) error {
	return fmt.Errorf("ratelimit: %q is not a limit; write a number from 1 to %d and s, m or h, as in 10/m, or off", text, most)
}

// Times is the limit that lets n times as much pass in the same period.
func (l Limit) Times(n int) Limit {
	l.rate.Rate *= n
	l.rate.Burst *= n
	return l
}

// interval is how long one event takes to be forgotten.
func (l Limit) interval() time.Duration {
	return l.rate.Period / time.Duration(l.rate.Rate)
}
