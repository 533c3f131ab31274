package handlers

import (
	"fmt"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/request"
)

// audited records e, which was done to a package, unless err is why it was not, and
// returns err.
func (p Packages) audited(c *gin.Context, e audit.Event, err error) error {
	if err != nil {
		return err
	}
	e.Kind = audit.PackageChanged
	if person, failure := p.Person(c); failure == nil && person.Operator && e.Subject != "" {
		owner, failure := p.Access.OwnerOf(c.Request.Context(), e.Subject)
		if failure != nil {
			request.LogCause(c, fmt.Errorf("ask the index for the owner of a package: %w", failure))
		}
		if owner != person.User {
			e.OnBehalfOf = owner
		}
	}
	request.Audit(c, e)
	return nil
}
