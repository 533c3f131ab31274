package reqctx_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"countersign/internal/reqctx"
)

// A request's goroutines note correlations while the log line is written.
func TestCorrelations_FromAnyGoroutine(t *testing.T) {
	info := &reqctx.Info{}
	ctx := context.WithValue(t.Context(), reqctx.Key{}, info)
	var calls sync.WaitGroup
	for i := range 100 {
		calls.Go(func() { reqctx.From(ctx).NoteCorrelation(strconv.Itoa(i)) })
	}
	if n := len(info.Correlations()); n > 16 {
		t.Errorf("%d are kept", n)
	}
	calls.Wait()
	if n := len(info.Correlations()); n != 16 {
		t.Errorf("%d of 100 are kept", n)
	}
}

func TestInfo_OutsideRequest(t *testing.T) {
	reqctx.From(t.Context()).NoteCorrelation("corr-1")
	if info := reqctx.From(t.Context()); info.ID != "" || len(info.Correlations()) != 0 {
		t.Errorf("%q, %q", info.ID, info.Correlations())
	}
}
