// Package leaktest finds, with goleak, goroutines that tests have left running. goleak
// gives them less than half a second to end; here they have a minute, for a busy machine.
package leaktest

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

const patience = time.Minute

// Main runs the tests of a package and fails them if they leave a goroutine running.
func Main(m *testing.M) { goleak.VerifyTestMain(patient{m}) }

// patient runs tests and then waits for their goroutines to end.
type patient struct{ *testing.M }

// Run implements goleak.TestingM.
func (p patient) Run() int {
	code := p.M.Run()
	if code == 0 {
		_ = left() // which goleak finds and tells of
	}
	return code
}

// None fails the test if more goroutines run than before, the result of
// goleak.IgnoreCurrent.
func None(t testing.TB, before goleak.Option) {
	t.Helper()
	if err := left(before); err != nil {
		t.Error(err)
	}
}

func left(options ...goleak.Option) (err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if err = goleak.Find(options...); err == nil {
			return nil
		}
	}
	return err
}
