package signingproxy

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// viewer is the signer who asks, with their grant for a package.
func (c *call) viewer(g index.Grant) signing.Viewer {
	return signing.Viewer{Email: c.who.Email, Roles: g.Roles, Signers: g.Signers, Documents: g.Sees}
}

// forSigners is the shape that reduces an answer for a signer and leaves it as it is
// for owner and operator.
func forSigners(reduce func(jsontext.Value, signing.Viewer) (jsontext.Value, error)) shape {
	return func(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
		if c.grant.Standing != index.Signer {
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

// roleFor is a role, for a signer reduced. A platform that finds a role by its signer's
// address would tell a signer whose address is whose.
func roleFor(p *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	var role struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &role); err != nil {
		return nil, unreadable(c, err)
	}
	if c.grant.Standing == index.Signer && role.ID != c.values["role"] {
		return nil, fault.New(fault.RequestNotFound)
	}
	return reducedRole(p, c, body)
}

// packageFor is a package without what is ours alone, and for a signer reduced.
func packageFor(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	if c.grant.Standing == index.Signer {
		return signing.Reduce(body, c.viewer(c.grant))
	}
	return signing.Public(body)
}

// summaryFor is a summary of fields, for a signer that of their own.
func summaryFor(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	if c.grant.Standing != index.Signer {
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

// customFieldsFor is custom fields, for whoever is no operator without their values.
func customFieldsFor(_ *Proxy, c *call, body jsontext.Value) (jsontext.Value, error) {
	body, err := readable(c, body)
	if err != nil || c.who.Operator {
		return body, err
	}
	return signing.WithoutValues(body)
}

// unreadable is an answer of the platform that is not what it has to be.
func unreadable(c *call, err error) error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("%s: read the answer: %w", c.Name, err))
}
