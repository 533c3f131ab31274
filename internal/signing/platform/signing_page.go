package platform

import (
	"context"
	"errors"
	"net/url"

	"countersign/internal/fault"
)

// SigningPage makes a token that counts once, and returns the address at which it opens the
// signing page (docs/platform.md S9). signer is the id or the e-mail address of the signer.
func (c *Client) SigningPage(ctx context.Context, id, signer string) (*url.URL, error) {
	var token struct {
		Value string `json:"value"`
	}
	err := c.call(ctx, createSignerToken, exchange{
		values: map[string]string{"use": "singleUse"}, body: map[string]string{"packageId": id, "signerId": signer}, out: &token,
	})
	if err == nil && token.Value == "" {
		err = fault.Wrap(fault.PlatformFailed, errors.New("createSignerToken: the response has no token"))
	}
	if err != nil {
		return nil, err
	}
	page := c.upstream.URL().JoinPath("transaction", url.PathEscape(id), "sign")
	auth := c.upstream.URL().JoinPath("auth")
	auth.RawQuery = url.Values{"signerAuthenticationToken": {token.Value}, "target": {page.String()}}.Encode()
	return auth, nil
}
