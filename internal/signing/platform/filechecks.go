package platform

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// FileChecks returns what the platform found in the files that signers have attached; none
// where the account has no such checks.
func (c *Client) FileChecks(ctx context.Context, id string) (signing.FileChecks, error) {
	var answer jsontext.Value
	err := c.call(ctx, getFileChecks, exchange{values: ofPackage(id), out: &answer})
	if fault.Is(err, fault.RequestNotFound) || fault.Is(err, fault.SigningRefused) || fault.Is(err, fault.SigningInvalid) || err == nil && len(answer) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return signing.ReadFileChecks(answer)
}
