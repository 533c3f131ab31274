package index

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/verification/platform"
)

// OfClient returns the platform behind a client.
func OfClient(c *platform.Client) Platform { return clientPlatform{c} }

type clientPlatform struct{ client *platform.Client }

// Transaction returns the transaction of that id.
func (p clientPlatform) Transaction(ctx context.Context, id string) (jsontext.Value, error) {
	t, err := p.client.Transaction(ctx, id)
	return t.Value, err
}

// Result returns the result of the detailed report: Undefined, Passed or Failed.
func (p clientPlatform) Result(ctx context.Context, id string) (string, error) {
	report, err := p.client.Report(ctx, id)
	return report.Result, err
}
