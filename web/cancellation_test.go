package web

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"countersign/internal/fault"
)

// TestLog_CancelledRequest checks that what ends with its request is logged as cancelled,
// and what fails by itself as a failure of ours.
func TestLog_CancelledRequest(t *testing.T) {
	for err, want := range map[error]fault.Key{
		fmt.Errorf("draw the page: %w", context.Canceled): fault.RequestCancelled,
		fmt.Errorf("write tcp: %w", syscall.EPIPE):        fault.RequestCancelled,
		fmt.Errorf("write tcp: %w", syscall.ECONNRESET):   fault.RequestCancelled,
		errors.New("draw the page: no memory"):            fault.ServerInternal,
		fault.New(fault.DocumentNotShown):                 fault.DocumentNotShown,
	} {
		if got := faultOf(err); got.Key != want {
			t.Errorf("%v is %s, want %s", err, got.Key, want)
		}
	}
}
