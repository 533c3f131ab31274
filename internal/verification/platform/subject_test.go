package platform_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/upstream"
	"countersign/internal/verification/platform"
)

const (
	one   = "11111111-1111-4111-8111-111111111111"
	other = "22222222-2222-4222-8222-222222222222"
)

// An answer names the transaction and the verification of its path, or none.
func TestSubject_AnotherTransaction(t *testing.T) {
	var answer string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
	t.Cleanup(server.Close)
	up, err := upstream.New(upstream.Options{Name: "verification", BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	c := platform.New(platform.Options{Upstream: up})
	calls := map[string]func(context.Context) error{
		"transaction": func(ctx context.Context) error { _, err := c.Transaction(ctx, one); return err },
		"cancel":      func(ctx context.Context) error { _, err := c.Cancel(ctx, one); return err },
		"report":      func(ctx context.Context) error { _, err := c.Report(ctx, one); return err },
		"results":     func(ctx context.Context) error { _, err := c.Results(ctx, one); return err },
		"images":      func(ctx context.Context) error { _, err := c.Images(ctx, one, one); return err },
	}
	for _, tt := range []struct {
		call, answer string
		fine         bool
	}{
		{"transaction", `{"id":"` + one + `"}`, true}, {"transaction", `{"id":"` + other + `"}`, false},
		{"cancel", `{"id":"` + other + `"}`, false},
		{"report", `{"id":"` + one + `"}`, true}, {"report", `{}`, true}, {"report", `{"id":"` + other + `"}`, true}, // its own, for all that is public
		{"results", `{"id":"hub"}`, true}, {"results", `{"transaction_id":"` + other + `"}`, false},
		{"images", `{"transaction_id":"` + one + `","verification_id":"` + one + `"}`, true},
		{"images", `{"transaction_id":"` + one + `","verification_id":"` + other + `"}`, false},
		{"images", `{"transaction_id":"` + other + `"}`, false},
	} {
		answer = tt.answer
		if err := calls[tt.call](t.Context()); tt.fine && err != nil || !tt.fine && !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s %s: %v", tt.call, tt.answer, err)
		}
	}
}
