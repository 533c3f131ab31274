package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Result is what came of one case.
type Result struct {
	// API is identity, signing or verification; Case says what is tried.
	API  string `json:"api"`
	Case string `json:"case"`
	// Fact names what the case rests on, where it is no requirement of the
	// specification but an assumption: a part of the public facts.
	Fact string `json:"fact,omitzero"`
	// Findings say what differs, each with the call and the platform's own words.
	// None is what the contract wants.
	Findings []string `json:"findings,omitzero"`
	// Settings follow from what was found.
	Settings []Setting `json:"settings,omitzero"`
	// LeftOut says why the case was not tried; empty where it was.
	LeftOut string `json:"leftOut,omitzero"`
}

// Setting is one that this platform needs.
type Setting struct {
	// Name is its name without COUNTERSIGN_.
	Name  string `json:"name"`
	Value string `json:"value"`
	// Why is what was seen.
	Why string `json:"why"`
}

// PathsSetting is the setting of paths. A Setting of that name is one member of its
// document, "operation: path".
const PathsSetting = "PLATFORM_PATHS"

// testCase is one case for a contract of type C.
type testCase[C any] struct {
	name string
	run  func(*T, C)
	// fact is Result.Fact, leftOut is Result.LeftOut.
	fact, leftOut string
}

// runAll runs the cases one after the other and tells of each result as it comes.
func runAll[C any](ctx context.Context, api string, c C, cases []testCase[C], after func(*T, C), tell func(Result)) {
	for _, one := range cases {
		result := Result{API: api, Case: one.name, Fact: one.fact, LeftOut: one.leftOut}
		if one.leftOut == "" && ctx.Err() == nil {
			t := &T{ctx: ctx, result: &result}
			t.attempt(func() { one.run(t, c) })
			t.attempt(t.cleanUp)
			if after != nil {
				t.attempt(func() { after(t, c) })
			}
		} else if one.leftOut == "" {
			result.LeftOut = "there was no time left for it"
		}
		tell(result)
	}
}

// T is what a case reports to, as a test does to a testing.T.
type T struct {
	ctx      context.Context // lives as long as the case
	result   *Result
	part     string // of the case, in its findings
	cleanups []func()
}

// end is what a case panics with that cannot go on.
type end struct{}

// attempt runs a part of the case. An answer that no code expects may make it panic:
// that is a finding too.
func (t *T) attempt(work func()) {
	defer func() {
		switch cause := recover().(type) {
		case nil, end:
		default:
			t.Errorf("the answer cannot be worked with: %v", cause)
		}
	}()
	work()
}

// Context is the case's.
func (t *T) Context() context.Context { return t.ctx }

// Errorf adds a finding.
func (t *T) Errorf(format string, args ...any) {
	if t.ctx.Err() != nil && t.Failed() {
		return // whatever fails now fails because time is up
	}
	t.result.Findings = append(t.result.Findings, t.part+strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// Error adds a finding.
func (t *T) Error(args ...any) { t.Errorf("%s", fmt.Sprint(args...)) }

// Fatalf adds a finding and ends the case.
func (t *T) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	panic(end{})
}

// Fatal adds a finding and ends the case.
func (t *T) Fatal(args ...any) { t.Fatalf("%s", fmt.Sprint(args...)) }

// Failed reports whether there is a finding.
func (t *T) Failed() bool { return len(t.result.Findings) > 0 }

// Cleanup has work done after the case, the last first.
func (t *T) Cleanup(work func()) { t.cleanups = append(t.cleanups, work) }

func (t *T) cleanUp() {
	for _, work := range slices.Backward(t.cleanups) {
		t.attempt(work)
	}
	t.cleanups = nil
}

// Run runs a part of the case, which may fail alone.
func (t *T) Run(part string, work func(*T)) {
	sub := &T{ctx: t.ctx, result: t.result, part: t.part + part + ": "}
	sub.attempt(func() { work(sub) })
	sub.attempt(sub.cleanUp)
}

// needsPath adds the path that an operation needs.
func (t *T) needsPath(operation, path, why string) {
	t.Needs(PathsSetting, operation+": "+path, why)
}

// Needs adds a setting that follows from what was found.
func (t *T) Needs(name, value, why string) {
	t.result.Settings = append(t.result.Settings, Setting{Name: name, Value: value, Why: why})
}
