package uaf_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"countersign/internal/uaf"
)

func TestStatusOf_WrappedErrors(t *testing.T) {
	refusal := &uaf.Error{Status: uaf.StatusUnknownKeyID, Reason: "no such key", Cause: io.EOF}
	cases := []struct {
		err  error
		want uaf.Status
	}{
		{nil, 1200},
		{refusal, 1481},
		{fmt.Errorf("around it: %w", refusal), 1481},
		{errors.Join(io.EOF, refusal), 1481},
		{io.EOF, 1500},
	}
	for _, c := range cases {
		if got := uaf.StatusOf(c.err); got != c.want {
			t.Errorf("%v: %d, want %d", c.err, got, c.want)
		}
	}
	if !errors.Is(refusal, io.EOF) {
		t.Error("the cause is lost")
	}
	if got := refusal.Error(); got != "uaf: 1481 unknown KeyID: no such key: EOF" {
		t.Error(got)
	}
}

func TestStatus_Named(t *testing.T) {
	for _, status := range []uaf.Status{
		1200, 1202, 1400, 1401, 1403, 1404, 1408, 1480, 1481, 1490, 1491, 1492, 1493, 1494, 1495, 1496, 1497, 1498, 1500,
	} {
		if strings.HasPrefix(status.String(), "status ") {
			t.Errorf("%d has no name", status)
		}
	}
	if got := uaf.Status(1).String(); got != "status 1" {
		t.Error(got)
	}
}
