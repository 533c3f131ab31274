package platform

import (
	"testing"

	"countersign/internal/fault"
)

func TestOperations_Complete(t *testing.T) {
	byName := map[string]bool{}
	for _, o := range operations {
		if byName[o.Name] {
			t.Errorf("%s has two rows", o.Name)
		}
		byName[o.Name] = true
		if o.Method == "" || o.Path == "" || !fault.Known(o.Refusal) || len(o.Scenarios) == 0 {
			t.Errorf("%s lacks something: %+v", o.Name, o)
		}
		for status, key := range o.Refusals {
			if !fault.Known(key) {
				t.Errorf("%s: %d is %q, which has no row", o.Name, status, key)
			}
		}
	}
	for _, p := range Paths() {
		if err := p.Check(p.Default); err != nil {
			t.Errorf("%s: the default is refused: %v", p.Operation, err)
		}
	}
}
