package signingproxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/proofs"
	"countersign/internal/signing/service"
)

// singleUse is the one use of a signer's token that ends with the page it opens.
const singleUse = "singleUse"

// getAsked answers with what is asked of a role's signer.
func (p *Proxy) getAsked(c *call) error {
	asked, err := p.Service.Requirement(c.ctx(), c.grant, c.packageID(), c.values["role"])
	if err != nil {
		return err
	}
	p.noteRead(c)
	return c.answer(asked)
}

// setAsked sets what is asked of a role's signer, and answers with it.
func (p *Proxy) setAsked(c *call) error {
	if err := p.readPayload(c); err != nil {
		return err
	}
	asked, err := proofs.ReadAsked(c.body)
	if err != nil {
		return fault.Wrap(fault.RequestMalformed, err)
	}
	if err := p.Service.Ask(c.ctx(), c.who, c.packageID(), c.values["role"], asked); err != nil {
		return err
	}
	return c.answer(asked)
}

// getProofs answers with what the signatures of a package stand on.
func (p *Proxy) getProofs(c *call) error {
	o, err := p.Service.Open(c.ctx(), c.who, c.packageID())
	if err != nil {
		return err
	}
	roles, err := p.Service.ProofsOf(c.ctx(), o)
	if err != nil {
		return err
	}
	return c.answer(map[string]any{"roles": roles})
}

// answer answers a call of ours.
func (c *call) answer(v any) error {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	c.data(http.StatusOK, request.JSONType, text)
	return nil
}

// getSigningURL relays the address of a signing page, which never expires: signing.state
// where the package asks a proof of the role, since it would outlive every age.
func (p *Proxy) getSigningURL(c *call) error {
	asks, err := p.Service.Asks(c.ctx(), p.signingSession(c, c.values["role"]))
	switch {
	case err != nil:
		return err
	case asks:
		return fault.New(fault.SigningState)
	}
	return p.read(c)
}

// signingSession returns the signing page of the roles that a name opens.
func (p *Proxy) signingSession(c *call, name string) service.SigningSession {
	return service.SigningSession{Package: c.packageID(), Grant: c.grant, Roles: func(_ context.Context, pkg signing.Package) ([]signing.Role, error) {
		return service.RolesNamed(pkg, name), nil
	}}
}

// openSigningPage relays a call that makes a signer's token. Where the package asks for proofs, the
// answer goes out only after they are kept, and a token that counts more than once is
// signing.state.
func (p *Proxy) openSigningPage(c *call, signer string) error {
	session := p.signingSession(c, signer)
	if c.values["use"] != singleUse {
		asks, err := p.Service.Asks(c.ctx(), session)
		switch {
		case err != nil:
			return err
		case asks:
			return fault.New(fault.SigningState)
		}
		return p.forward(c, c.payload())
	}
	var status int
	var made jsontext.Value
	err := p.Service.OpenSigningPage(c.ctx(), c.who, session, func(ctx context.Context) (err error) {
		status, made, err = p.sendToken(ctx, c)
		return err
	})
	if err != nil {
		return err
	}
	return p.changed(c, status, made)
}

// sendToken sends a call that makes a token, and reads the platform's answer to its end. One
// without a token is platform.failed.
func (p *Proxy) sendToken(ctx context.Context, c *call) (status int, body jsontext.Value, err error) {
	original := c.gin.Request
	c.gin.Request = original.WithContext(ctx)
	defer func() { c.gin.Request = original }()
	response, err := p.send(c, c.payload())
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if body, err = readAnswer(c, response); err != nil {
		return 0, nil, err
	}
	var token struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(body, &token); err != nil || token.Value == "" {
		return 0, nil, unreadable(c, errors.Join(errNoToken, err))
	}
	return response.StatusCode, body, nil
}

var errNoToken = errors.New("the answer has no token")

// takesBack reports whether a change of a package gives it a status in which nobody signs it.
func takesBack(body []byte) bool {
	var change struct {
		Status string `json:"status"`
	}
	err := payload.Unmarshal(body, &change)
	return err == nil && (change.Status == signing.StatusDeclined || change.Status == signing.StatusOptedOut)
}

// updatePackage relays a change of a package. One that may replace the package's data waits
// for others that write it, so that none of it is lost.
func (p *Proxy) updatePackage(c *call) error {
	r := c.gin.Request
	if r.ContentLength > MaxPayload {
		return fault.New(fault.RequestTooLarge)
	}
	if r.Body == nil || r.Body == http.NoBody {
		return p.change(c)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.gin.Writer, r.Body, MaxPayload))
	if err != nil {
		return readError(err)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if c.who.Operator && takesBack(body) {
		return p.Service.CancelAs(c.ctx(), c.who, c.packageID(), func(context.Context) error { return p.change(c) })
	}
	if !bytes.Contains(body, []byte("data")) && !bytes.Contains(body, []byte(`\u`)) {
		return p.change(c)
	}
	return p.Service.WithPackageLock(c.ctx(), c.packageID(), func(context.Context) error { return p.change(c) })
}

// deletePackage relays a deletion, which waits for others that write the package's data too.
// It is read first, so that nobody waits for a slow client.
func (p *Proxy) deletePackage(c *call) error {
	if err := p.readPayload(c); err != nil {
		return err
	}
	return p.Service.WithPackageLock(c.ctx(), c.packageID(), func(context.Context) error { return p.forward(c, c.payload()) })
}
