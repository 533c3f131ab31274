package ratelimit_test

import (
	"testing"

	"countersign/internal/ratelimit"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{"off", "10/m", "1/s", "1000000/h", "0/m", "01/m", "+1/m", "1/d", "1/m/s", "", "/", "9999999999999999999/m"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if limit, err := ratelimit.Parse(text); err == nil && limit.String() != text {
			t.Errorf("%q is a second spelling of %q", text, limit)
		}
	})
}
