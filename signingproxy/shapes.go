package signingproxy

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/platform"
)

// viewer returns the signer who asks, with their grant for a package.
func (c *call) viewer(g index.Grant) signing.Viewer {
	return signing.Viewer{Email: c.who.Email, Roles: g.Roles, Signers: g.Signers, Documents: g.Sees}
}

// forSigners returns a shape that reduces an answer for a signer and leaves it unchanged
// for owners and operators.
func forSigners(reduce func(jsontext.Value, signing.Viewer) (jsontext.Value, error)) shape {
	return func(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
		if c.grant.Access != index.Signer {
			return readable(c, body)
		}
		return reduce(body, c.viewer(c.grant))
	}
}

var (
	rolesFor    = forSigners(signing.ReduceRoles)
	reducedRole = forSigners(signing.ReduceRole)
	documentFor = forSigners(signing.ReduceDocument)

	approvalsFor = forSigners(signing.ReduceApprovals)
)

// roleFor shapes a role, reduced for a signer. It hides a role that the platform found by
// anything but its id: otherwise a signer could find out whose an address is.
func roleFor(p *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	var role struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &role); err != nil {
		return nil, unreadable(c, err)
	}
	if c.grant.Access == index.Signer && role.ID != c.values["role"] {
		return nil, fault.New(fault.RequestNotFound)
	}
	return reducedRole(p, c, body)
}

// packageFor shapes a package: without Countersign's own data, and reduced for a signer.
func packageFor(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	if c.grant.Access == index.Signer {
		return signing.Reduce(body, c.viewer(c.grant))
	}
	return platform.Public(body)
}

// summaryFor shapes a summary of fields: a signer gets only their own fields.
func summaryFor(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	if c.grant.Access != index.Signer {
		return readable(c, body)
	}
	var fields []jsontext.Value
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, unreadable(c, err)
	}
	own := make([]jsontext.Value, 0, len(fields))
	for _, field := range fields {
		var of struct {
			Signer   string `json:"signerId"`
			Document string `json:"documentId"`
		}
		if err := json.Unmarshal(field, &of); err != nil {
			return nil, unreadable(c, err)
		}
		if c.isOwn(of.Signer) && c.grant.Sees(of.Document) {
			own = append(own, field)
		}
	}
	return json.Marshal(own)
}

// customFieldsFor shapes custom fields: only operators get their values.
func customFieldsFor(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	body, err := readable(c, body)
	if err != nil || c.who.Operator {
		return body, err
	}
	return platform.WithoutValues(body)
}
