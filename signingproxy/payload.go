package signingproxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/proofs"
)

// MaxPayload limits the JSON of a request without files, in bytes.
const MaxPayload = 1 << 20

// upload relays a payload with its files in constant memory. It reports errors in the
// payload before it calls the platform. An error in a later part ends the call before the
// platform has received all of it.
func (p *Proxy) upload(c *call) error {
	r := c.gin.Request
	if r.ContentLength > p.MaxUpload {
		return fault.New(fault.RequestTooLarge)
	}
	content := http.MaxBytesReader(c.gin.Writer, r.Body, p.MaxUpload)
	upload, err := signing.NewUpload(r.Header.Get("Content-Type"), content, p.SpoolDir)
	if err != nil {
		return err
	}
	defer upload.Close()
	if err := p.checkPayload(c, upload.Payload()); err != nil {
		return err
	}
	body, err := upload.Body()
	if err != nil {
		return err
	}
	return p.stream(c, body)
}

// updateDocument relays what becomes of a document: an upload with another file, and JSON
// without one.
func (p *Proxy) updateDocument(c *call) error {
	if request.RequireType(c.gin.Request, request.JSONType) == nil {
		return p.change(c)
	}
	return p.upload(c)
}

// readPayload reads and checks the JSON body of a call, and makes it, edited, the call's body.
func (p *Proxy) readPayload(c *call) error {
	body, err := readBody(c)
	switch {
	case err != nil:
		return err
	case len(body) == 0 && c.check == nil:
		return nil
	case len(body) == 0 && !c.mayBeEmpty:
		return fault.New(fault.RequestMalformed)
	case len(body) == 0:
		body = []byte("{}")
	}
	payload, err := signing.NewPayload(body)
	if err == nil {
		err = p.checkPayload(c, payload)
	}
	if err == nil {
		c.body, err = io.ReadAll(payload.Edited(bytes.NewReader(body)))
	}
	return err
}

// readBody reads the body of a call; nil for none, or for nothing but white space, which may
// be of any type.
func readBody(c *call) ([]byte, error) {
	r := c.gin.Request
	if r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > MaxPayload {
		return nil, fault.New(fault.RequestTooLarge)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.gin.Writer, r.Body, MaxPayload))
	switch {
	case err != nil:
		return nil, readError(err)
	case len(bytes.TrimSpace(body)) == 0:
		return nil, nil
	}
	return body, request.RequireType(r, request.JSONType)
}

// checkPayload checks payload by the rules of the operation, and puts into it what
// Countersign keeps with a package. It reads the stored package if the rules need it, or
// if the payload exceeds a limit that the stored package may already have exceeded.
func (p *Proxy) checkPayload(c *call, payload *signing.Payload) (err error) {
	rules := signing.Context{
		Production: p.Service.Production, Operator: c.who.Operator, Limits: p.Service.Limits, ID: c.packageID(), Role: c.values["role"],
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
	c.status, c.kind, c.people = payload.Summary()
	switch {
	case c.makes:
		made := signing.CountersignData{Owner: c.who.User, OwnerName: c.who.Name, Key: c.mark}
		var original jsontext.Value
		if rules.Package != nil { // of which it is a copy
			if made.Proofs, err = proofs.CopyRequirements(rules.Package.Countersign.Proofs); err != nil {
				return fault.Wrap(fault.PlatformFailed, err)
			}
			original = rules.Package.Data
			for _, role := range rules.Package.Roles {
				for _, signer := range role.Signers {
					c.people = append(c.people, signer.Email)
				}
			}
		}
		return payload.SetCountersign(made, original)
	case c.keepsCountersign:
		payload.KeepCountersign(rules.Package)
	}
	return nil
}

// always is for rules that need the stored package for every payload, and atWorst for
// rules that need it only to see whether an exceeded limit was exceeded before.
func always(*signing.Payload) bool  { return true }
func atWorst(*signing.Payload) bool { return false }

// replacesParts reports whether payload sets a part of a package that must fit the stored
// package, or in which Countersign keeps data.
func replacesParts(payload *signing.Payload) bool {
	return payload.Has("data", "roles", "documents", "sender")
}

// changesType reports whether payload sets only one of a field's type and subtype, which
// must fit the other, or makes the field a signature field.
func changesType(payload *signing.Payload) bool {
	return payload.Gives("type") != payload.Gives("subtype") || payload.SignsField()
}

// changesConditions reports whether payload sets conditions, of which a package has so many,
// or is one of changesType.
func changesConditions(payload *signing.Payload) bool {
	return payload.Gives("conditions") || changesType(payload)
}

// storedPackage reads the package in the path from the platform.
func (p *Proxy) storedPackage(c *call) (*signing.Package, error) {
	pkg, err := p.Service.Platform.Package(c.ctx(), c.packageID())
	if err == nil {
		err = pkg.Strict()
	}
	if err != nil {
		return nil, err
	}
	return &pkg, nil
}

// readError returns the error for a body that could not be read to its end:
// request.too-large or request.malformed.
func readError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.Wrap(fault.RequestTooLarge, err)
	}
	return fault.Wrap(fault.RequestMalformed, err)
}
