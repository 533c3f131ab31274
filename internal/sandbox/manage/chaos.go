package manage

import (
	"net/http"
	"strings"
	"time"

	"countersign/internal/sandbox/wire"
)

// chaosInput makes faults of a share of all calls; a rate of 0 ends it.
type chaosInput struct {
	Rate     *float64 `json:"rate"`
	Delay    *string  `json:"delay"` // "1s", or "0s..2s": from the least to the most
	Statuses []int    `json:"statuses"`
	Cut      bool     `json:"cut"`
	Seed     uint64   `json:"seed"`
}

// longestChaos limits the delay of a call.
const longestChaos = 10 * time.Minute

func (s *Server) setChaos(_ *http.Request, in chaosInput) (any, error) {
	var rules wire.Rules
	if in.Rate == nil || *in.Rate < 0 || *in.Rate > 1 {
		rules.Broken("rate", "must be a number from 0 to 1")
	}
	chaos := wire.Chaos{Statuses: in.Statuses, Cut: in.Cut, Seed: in.Seed}
	if in.Delay != nil {
		var ok bool
		if chaos.Delay, ok = delays(*in.Delay); !ok {
			rules.Broken("delay", `must be a duration such as "1s" or two such as "0s..2s", at most `+longestChaos.String())
		}
	}
	for _, status := range in.Statuses {
		wire.Between(&rules, "statuses", &status, 400, 599)
	}
	if in.Rate != nil && *in.Rate > 0 && in.Delay == nil && len(in.Statuses) == 0 && !in.Cut {
		rules.Broken("rate", "goes with delay, statuses or cut")
	}
	if err := rules.Err(); err != nil {
		return nil, err
	}
	if chaos.Rate = *in.Rate; chaos.Rate == 0 {
		s.Platform.Faults.SetChaos(nil)
	} else {
		s.Platform.Faults.SetChaos(&chaos)
	}
	return nil, nil
}

// delays reads the least and the most.
func delays(text string) (span [2]time.Duration, ok bool) {
	least, most, two := strings.Cut(text, "..")
	if !two {
		most = least
	}
	from, err := time.ParseDuration(least)
	to, failed := time.ParseDuration(most)
	return [2]time.Duration{from, to}, err == nil && failed == nil && from >= 0 && from <= to && to <= longestChaos
}
