package signingproxy

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
)

// MaxPayload is how many bytes of JSON a request may have that carries no file.
const MaxPayload = 1 << 20

// readPayload reads the JSON of a call that may carry some, and has its rules check
// it.
func (p *Proxy) readPayload(c *call) error {
	r := c.gin.Request
	if c.reads() {
		return nil
	}
	if r.Body == http.NoBody || r.ContentLength == 0 {
		return p.checkNothing(c)
	}
	if r.ContentLength > MaxPayload {
		return fault.New(fault.RequestTooLarge)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.gin.Writer, r.Body, MaxPayload))
	if err != nil {
		return readError(err)
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return p.checkNothing(c)
	}
	if err := RequireJSON(r); err != nil {
		return err
	}
	return p.checkBody(c, body)
}

// checkNothing has the rules check an empty body.
func (p *Proxy) checkNothing(c *call) error {
	switch {
	case c.check == nil:
		return nil
	case c.mayBeEmpty:
		return p.checkBody(c, []byte("{}"))
	}
	return fault.New(fault.RequestMalformed)
}

// checkBody has the rules check body, which becomes the call's.
func (p *Proxy) checkBody(c *call, body []byte) error {
	payload, err := signing.NewPayload(body)
	if err == nil {
		err = p.checkPayload(c, payload)
	}
	if err == nil {
		c.body, err = io.ReadAll(payload.Edited(bytes.NewReader(body)))
	}
	return err
}

// checkPayload has the rules of the operation check payload, and puts into it what
// Countersign keeps with a package.
func (p *Proxy) checkPayload(c *call, payload *signing.Payload) (err error) {
	rules := signing.Context{
		Production: p.Service.Production, Operator: c.who.Operator, Role: c.values["role"],
		Field: signing.FieldPath{Document: c.values["document"], Approval: c.values["approval"], Field: c.values["field"]},
	}
	if c.stored != nil && c.stored(payload) {
		if rules.Package, err = p.storedPackage(c); err != nil {
			return err
		}
	}
	check := c.check
	if check == nil {
		check = signing.CheckAny
	}
	err = check(payload, rules)
	if payload.Over() && c.stored != nil && rules.Package == nil {
		if rules.Package, err = p.storedPackage(c); err == nil {
			err = check(payload, rules)
		}
	}
	if err != nil {
		return err
	}
	switch {
	case c.makes:
		return payload.SetOwnership(signing.Ownership{Owner: c.who.User, Key: c.mark})
	case c.keepsOwnership:
		payload.KeepOwnership(rules.Package)
	}
	return nil
}

// always is for rules that never do without the stored package, and atWorst for those
// that need it to see what a broken bound had already.
func always(*signing.Payload) bool  { return true }
func atWorst(*signing.Payload) bool { return false }

// replacesParts reports whether payload gives a part of a package that must fit the
// others or be as it is stored, or that Countersign keeps something in.
func replacesParts(payload *signing.Payload) bool {
	return payload.Has("data", "roles", "documents", "sender")
}

// changesType reports whether payload gives a field's type or its subtype and not both,
// of which the one must fit the other, or makes the field one that is signed.
func changesType(payload *signing.Payload) bool {
	return payload.Gives("type") != payload.Gives("subtype") || payload.SignsField()
}

// storedPackage is the package of the path as the platform has it.
func (p *Proxy) storedPackage(c *call) (*signing.Stored, error) {
	text, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	if err != nil {
		return nil, err
	}
	return signing.ReadStored(text)
}

// RequireJSON returns request.media-type unless a request is application/json, with any parameters, such as the SDKs'
// esl-api-version.
func RequireJSON(r *http.Request) error {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, given := parameters["charset"]
	if err != nil || kind != request.JSONType || given && !strings.EqualFold(charset, "utf-8") {
		return fault.New(fault.RequestMediaType)
	}
	return nil
}

// readError is what became of a body that could not be read to its end.
func readError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return fault.Wrap(fault.RequestMalformed, err)
}
