package apidoc

import (
	"cmp"
	"slices"
	"sync"
)

// Report collects violations, each once.
type Report struct {
	documents *Documents

	mu        sync.Mutex
	exchanges int
	found     map[Violation]*Finding
}

// Finding is a violation with an example.
type Finding struct {
	Operation string `json:"operation"`
	Side      string `json:"side"`
	Reason    string `json:"reason"`
	// Times is how often it was met.
	Times int `json:"times"`
	// Example is the first exchange with it, as it is recorded; of a long one the head.
	Example exchangeRecord `json:"example"`
}

// NewReport returns an empty report.
func (d *Documents) NewReport() *Report {
	return &Report{documents: d, found: map[Violation]*Finding{}}
}

// longExample is the length of bodies, in bytes, from which an example has none.
const longExample = 8 << 10

// Add judges e.
func (r *Report) Add(e Exchange) {
	violations := r.documents.Judge(e)
	example := sync.OnceValue(func() exchangeRecord {
		one := r.documents.conceal(e)
		if len(one.Request)+len(one.Response) > longExample {
			one.Request, one.Response = nil, nil
		}
		return one
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges++
	for _, v := range violations {
		f := r.found[v]
		if f == nil {
			f = &Finding{Operation: v.Operation, Side: v.Side, Reason: v.Reason, Example: example()}
			r.found[v] = f
		}
		f.Times++
	}
}

// Findings returns how many exchanges were judged, and what was found, sorted.
func (r *Report) Findings() (exchanges int, findings []Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.found {
		findings = append(findings, *f)
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Side, b.Side), cmp.Compare(a.Reason, b.Reason))
	})
	return r.exchanges, findings
}
