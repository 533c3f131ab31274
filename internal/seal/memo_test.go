package seal_test

import (
	"testing"

	"countersign/internal/seal"
)

// TestMemo_Bounded remembers more than the memo holds: values that are used again stay.
func TestMemo_Bounded(t *testing.T) {
	const size = 8
	m, sealed := seal.NewMemo[int, int](size), []byte("sealed")
	for i := range 5 * size {
		m.Put(i, sealed, -i)
		if value, ok := m.Get(0, sealed); !ok || value != 0 {
			t.Fatalf("what is in use is forgotten after %d others", i)
		}
	}
	remembered := 0
	for i := range 5 * size {
		if value, ok := m.Get(i, sealed); ok {
			remembered++
			if value != -i {
				t.Errorf("%d is remembered as %d", i, value)
			}
		}
	}
	if remembered > 2*size {
		t.Errorf("%d values are remembered", remembered)
	}
	if _, ok := m.Get(1, sealed); ok {
		t.Error("what was never asked for again is remembered")
	}
}

// TestMemo_ChangedBytes changes the bytes, and forgets.
func TestMemo_ChangedBytes(t *testing.T) {
	m := seal.NewMemo[string, string](8)
	bytes := []byte("sealed")
	m.Put("name", bytes, "value")
	bytes[0] = 'S'
	for _, other := range []string{"Sealed", "sealed2", "seale", ""} {
		if _, ok := m.Get("name", []byte(other)); ok {
			t.Errorf("the value of %q is that of other bytes", other)
		}
	}
	if _, ok := m.Get("other", []byte("sealed")); ok {
		t.Error("another name has the value")
	}
	if value, ok := m.Get("name", []byte("sealed")); !ok || value != "value" {
		t.Errorf("remembered %q, %v", value, ok)
	}
	m.Forget("name")
	if _, ok := m.Get("name", []byte("sealed")); ok {
		t.Error("what was forgotten is remembered")
	}
}
