package uaf_test

import (
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/uaf"
)

func TestAssertion_ElementsInAnyOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(r, "kind")
		e := shuffled(r, kind.make())
		data, err := e.Encode()
		if err != nil {
			r.Fatal(err)
		}
		if err := kind.parse(data); err != nil {
			r.Fatal(err)
		}
	})
}

func shuffled(r *rapid.T, e uaf.Element) uaf.Element {
	if len(e.Children) == 0 {
		return e
	}
	e.Children = rapid.Permutation(e.Children).Draw(r, e.Tag.String())
	for i := range e.Children {
		e.Children[i] = shuffled(r, e.Children[i])
	}
	return e
}

// After any change of one byte, an assertion is parsed or refused without a panic, and
// the parsed content was in the input.
func TestAssertion_AnyByteChanged(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(r, "kind")
		data := encoded(t, kind.make())
		at := rapid.IntRange(0, len(data)-1).Draw(r, "at")
		data[at] = rapid.Byte().Draw(r, "byte")
		if err := kind.parse(data); err != nil && uaf.StatusOf(err) != content {
			r.Fatalf("%v", err)
		}
	})
}
