package signingproxy

import (
	"errors"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// roleHolders admits the person who is the only signer of the role, even if they are also
// the owner or an operator.
func roleHolders(p *Proxy, c *call) error {
	if err := p.grantRefreshed(c); err != nil {
		return err
	}
	return c.mustSign(slices.Contains(c.grant.UnsharedRoles, c.values["role"]))
}

// mustSign returns an error unless the person is the signer and the package can be signed
// now; a draft cannot.
func (c *call) mustSign(isSigner bool) error {
	switch {
	case !isSigner:
		return fault.New(fault.SigningNotYourRole)
	case !c.grant.Signable:
		return fault.New(fault.SigningState)
	}
	return nil
}

// signingURL returns the answer with the address of a signing page unchanged, or
// platform.failed if the address is not on a host of the platform.
func signingURL(p *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	var answer struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, unreadable(c, err)
	}
	u, err := url.Parse(answer.URL)
	if err == nil && !p.Service.Sites.Have(u) {
		err = errors.New("the signing page is not on a host of the platform")
	}
	if err != nil {
		return nil, unreadable(c, err)
	}
	return body, nil
}

// createSignerToken creates a token that opens the signing page, for the person who is
// the signer. The payload names the package.
func (p *Proxy) createSignerToken(c *call) error {
	if err := p.readPayload(c); err != nil {
		return err
	}
	var wanted struct {
		Package string `json:"packageId"`
		Signer  string `json:"signerId"`
	}
	if err := json.Unmarshal(c.body, &wanted); err != nil {
		return fault.Wrap(fault.RequestMalformed, err)
	}
	if !isID("package", wanted.Package) {
		return fault.New(fault.RequestNotFound)
	}
	c.values["package"] = wanted.Package
	if err := p.grantRefreshed(c); err != nil {
		return err
	}
	if err := c.mustSign(c.isOwn(wanted.Signer)); err != nil {
		return err
	}
	return p.openSigningPage(c, wanted.Signer)
}

// isOwn reports whether an id or an e-mail address names this person, and nobody else, as
// a signer.
func (c *call) isOwn(signer string) bool {
	return slices.Contains(c.grant.Names, payload.FoldAddress(signer))
}
