package bench_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The benchmarks report ratios: Countersign compared with a minimal program for the same
// task, each in a process of its own. They are called for slices of a tenth of a second
// in random order, so that the machine's other work affects both. docs/benchmarks.md
// explains the comparisons.

const (
	slice = 100 * time.Millisecond
	// rounds is the number of slices of each side. One op of a benchmark is all of them,
	// so that the figures do not depend on -benchtime.
	rounds = 80
	// askers is the number of connections in benchmarks that do not vary it.
	askers = 16
)

// connections are the numbers of concurrent connections that are tried.
var connections = []int{1, askers, 32, 256, 1000}

// result is a side's result of one slice.
type result struct {
	rate  float64         // answers a second
	cpu   float64         // of the process, in seconds for each answer
	times []time.Duration // that answers took
}

// run sends requests on every connection until the slice is over.
func (s *side) run(b *testing.B, long time.Duration) result {
	b.Helper()
	s.prepare(long)
	var mu sync.Mutex
	var all []time.Duration
	var wait sync.WaitGroup
	begin, cpu := time.Now(), cpuOf(b, s.pid)
	for _, conn := range s.conns {
		wait.Go(func() {
			own := make([]time.Duration, 0, 64)
			for at := begin; at.Sub(begin) < long; {
				if _, err := s.ask(conn); err != nil {
					b.Errorf("%s: %v", s.name, err)
					return
				}
				now := time.Now()
				own = append(own, now.Sub(at))
				at = now
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
		})
	}
	wait.Wait()
	took, spent := time.Since(begin), cpuOf(b, s.pid)-cpu
	if len(all) == 0 {
		b.Fatal("no answer")
	}
	n := float64(len(all))
	return result{rate: n / took.Seconds(), cpu: spent.Seconds() / n, times: all}
}

// countAllocations reports how many allocations the side makes for each answer, in a slice
// of its own: the other sides are not asked meanwhile.
func (s *side) countAllocations(b *testing.B) {
	b.Helper()
	if s.allocations == nil {
		return
	}
	before := s.allocations(b)
	answers := len(s.run(b, 5*slice).times)
	b.ReportMetric((s.allocations(b)-before)/float64(answers), s.name+"-allocs")
}

// duels measures ours against bare, and against others, for each number of connections.
func duels(b *testing.B, ours, bare *side, others ...*side) {
	b.Helper()
	for _, n := range connections {
		b.Run(fmt.Sprintf("connections=%d", n), func(b *testing.B) { duel(b, n, ours, bare, others...) })
	}
}

// duel measures the sides over n connections each.
func duel(b *testing.B, n int, ours, bare *side, others ...*side) {
	b.Helper()
	sides := append([]*side{ours, bare}, others...)
	for _, s := range sides {
		s.connect(b, n)
		s.run(b, 5*slice) // warms up scripts and caches
	}
	got := map[*side][]result{}
	for b.Loop() {
		for range rounds {
			for _, i := range rand.Perm(len(sides)) {
				got[sides[i]] = append(got[sides[i]], sides[i].run(b, slice))
			}
		}
	}
	for _, s := range sides {
		s.countAllocations(b)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(residentMiB(b, ours.pid), "ours-MiB") // with that many busy connections
	report(b, got[ours], got[bare], "bare")
	for _, other := range others {
		report(b, got[ours], got[other], other.name)
	}
}

// report reports ours against another side: the ratios of the rates and of the processor
// times, each with its error, and the ratio of the p99 over all slices.
func report(b *testing.B, ours, other []result, name string) {
	b.Helper()
	prefix := ""
	if name != "bare" {
		prefix = name + "-"
	}
	figure := func(unit string, of func(result) float64) {
		ratios := make([]float64, len(ours))
		for i := range ours {
			ratios[i] = of(ours[i]) / of(other[i])
		}
		mean, deviation := trimmed(ratios)
		b.ReportMetric(mean, prefix+unit+"-ratio")
		b.ReportMetric(deviation, prefix+unit+"-error")
	}
	rate := func(r result) float64 { return r.rate }
	cpu := func(r result) float64 { return r.cpu * 1e6 }
	figure("rate", rate)
	figure("cpu", cpu)
	b.ReportMetric(p99(ours)/p99(other), prefix+"p99-ratio")
	for side, results := range map[string][]result{"ours": ours, name: other} {
		b.ReportMetric(meanOf(results, rate), side+"/s")
		b.ReportMetric(meanOf(results, cpu), side+"-cpu-µs")
	}
}

// p99 returns the 99th percentile of all answers' times, in seconds.
func p99(results []result) float64 {
	var all []time.Duration
	for _, r := range results {
		all = append(all, r.times...)
	}
	slices.Sort(all)
	return all[len(all)*99/100].Seconds()
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// cpuOf returns the processor time that a process has used, user and system, over all
// threads: the real running time in nanoseconds, which ticks would round.
func cpuOf(b *testing.B, pid int) (total time.Duration) {
	b.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, task.Name()))
		if err != nil {
			continue // the thread has ended
		}
		ran, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		total += time.Duration(nanoseconds)
	}
	return total
}
