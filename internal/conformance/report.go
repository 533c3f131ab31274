package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Result is the result of one case.
type Result struct {
	// API is identity, signing or verification; Case describes the case.
	API  string `json:"api"`
	Case string `json:"case"`
	// Fact names the assumptions that the case tries: numbers in docs/platform.md. It is empty
	// if the case tries the specification alone.
	Fact string `json:"fact,omitzero"`
	// Findings are the differences, each with the call and the platform's own words.
	// Without any, the platform conforms.
	Findings []string `json:"findings,omitzero"`
	// Settings are the settings that the findings call for.
	Settings []Setting `json:"settings,omitzero"`
	// LeftOut says why the case was not tried; empty if it was.
	LeftOut string `json:"leftOut,omitzero"`
}

// Setting is a setting that this platform needs.
type Setting struct {
	// Name is its name without COUNTERSIGN_.
	Name  string `json:"name"`
	Value string `json:"value"`
	// Why is the observation behind it.
	Why string `json:"why"`
}

// PathsSetting is the setting of paths. Its Setting is one member of the document,
// "operation: path".
const PathsSetting = "PLATFORM_PATHS"

// testCase is a case for a contract of type C.
type testCase[C any] struct {
	name string
	run  func(*T, C)
	// fact is Result.Fact, leftOut is Result.LeftOut.
	fact, leftOut string
}

// runAll runs the cases one after the other and calls tell with each result.
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
			result.LeftOut = "no time was left"
		}
		tell(result)
	}
}

// T collects a case's report, like a testing.T.
type T struct {
	ctx      context.Context // lives as long as the case
	result   *Result
	part     string // of the case, in its findings
	cleanups []func()
}

// end is the panic value of a case that cannot go on.
type end struct{}

// attempt runs a part of the case. A panic, over an answer that the code does not expect,
// is a finding too.
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

// Context returns the case's context.
func (t *T) Context() context.Context { return t.ctx }

// Errorf adds a finding.
func (t *T) Errorf(format string, args ...any) {
	if t.ctx.Err() != nil && t.Failed() {
		return // time is up, which explains all further failures
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

// Cleanup runs work after the case, in reverse order.
func (t *T) Cleanup(work func()) { t.cleanups = append(t.cleanups, work) }

func (t *T) cleanUp() {
	for _, work := range slices.Backward(t.cleanups) {
		t.attempt(work)
	}
	t.cleanups = nil
}

// Run runs a part of the case that may fail without the others.
func (t *T) Run(part string, work func(*T)) {
	sub := &T{ctx: t.ctx, result: t.result, part: t.part + part + ": "}
	sub.attempt(func() { work(sub) })
	sub.attempt(sub.cleanUp)
}

// needsPath adds the needed path of an operation.
func (t *T) needsPath(operation, path, why string) {
	t.Needs(PathsSetting, operation+": "+path, why)
}

// Needs adds a setting that the findings call for.
func (t *T) Needs(name, value, why string) {
	t.result.Settings = append(t.result.Settings, Setting{Name: name, Value: value, Why: why})
}
