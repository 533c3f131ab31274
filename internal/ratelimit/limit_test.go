package ratelimit_test

import (
	"testing"

	"countersign/internal/ratelimit"
)

func TestParse_Valid(t *testing.T) {
	for _, text := range []string{"off", "1/s", "10/m", "60/m", "1000000/h"} {
		limit, err := ratelimit.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := limit.String(); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
		if (limit == ratelimit.Limit{}) != (text == "off") {
			t.Errorf("%q: off is %v", text, limit == ratelimit.Limit{})
		}
	}
}

func TestParse_Invalid(t *testing.T) {
	for _, text := range []string{"", "10", "/m", "10/", "10/d", "10/m/s", "0/m", "-1/m", "+1/m", "1.5/m", "010/m", " 10/m", "10 / m", "OFF", "1000001/s", "99999999999999999999/s", "10/M"} {
		if limit, err := ratelimit.Parse(text); err == nil {
			t.Errorf("%q is read as %v", text, limit)
		}
	}
}

func TestTimes_MultipliesLimit(t *testing.T) {
	limit, err := ratelimit.Parse("10/m")
	if err != nil {
		t.Fatal(err)
	}
	if got := limit.Times(10).String(); got != "100/m" {
		t.Errorf("ten times 10/m is %s", got)
	}
	if got := limit.String(); got != "10/m" {
		t.Errorf("Times changed its limit to %s", got)
	}
	if off := (ratelimit.Limit{}); off.Times(10) != off {
		t.Error("ten times off is a limit")
	}
}
