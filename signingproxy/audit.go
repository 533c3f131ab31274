package signingproxy

import (
	"countersign/internal/signing/index"

	"fmt"

	"countersign/internal/audit"
	"countersign/internal/request"
)

// changed is what an operation has been done to: the id of a package, empty where there is
// none, and whose it is, where that is known.
type changed struct{ id, owner string }

// audited records what an operation has done.
func audited(serve func(*Proxy, *call) error) func(*Proxy, *call) error {
	return func(p *Proxy, c *call) error {
		c.changes = []changed{{c.packageID(), p.ownerOf(c)}}
		if err := serve(p, c); err != nil {
			return err
		}
		for _, done := range c.changes {
			e := audit.Event{Kind: audit.PackageChanged, Operation: c.Name, Subject: done.id}
			if done.owner != c.person.User {
				e.OnBehalfOf = done.owner
			}
			request.Audit(c.gin, e)
		}
		return nil
	}
}

// ownerOf returns whose the package of the path is, if the person may act on other
// people's.
func (p *Proxy) ownerOf(c *call) string {
	if c.packageID() == "" || c.grant.Standing != index.Operator {
		return ""
	}
	owner, err := p.Access.OwnerOf(c.ctx(), c.packageID())
	if err != nil {
		request.LogCause(c.gin, fmt.Errorf("%s: ask the index for the owner: %w", c.Name, err))
	}
	return owner
}
