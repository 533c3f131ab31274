package verify

import (
	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
)

// Verifications are the identity verifications of whoever is signed in, for their pages
// and streams.
type Verifications struct {
	// Platform is nil where identities are not verified here.
	Platform *verification.Client
	Access   *index.Index
	Operator func(user string) bool
	// OperatorsCreate says that operators alone start them, StartersErase that who started
	// one may have it erased.
	OperatorsCreate, StartersErase bool
	StepUp                         request.StepUp
}

// InUse is request.not-found where identities are not verified here.
func (v Verifications) InUse(*gin.Context) error {
	if v.Platform == nil {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// person is who asks.
func (v Verifications) person(c *gin.Context) (access.Person, error) {
	user, err := request.RequirePerson(c)
	return access.Person{User: user.ID, Operator: v.Operator(user.ID)}, err
}

// grant is the transaction that the path names, and what the person may with it; whoever
// is nothing to it gets request.not-found.
func (v Verifications) grant(c *gin.Context) (id string, grant index.Grant, err error) {
	id, _, grant, err = v.granted(c)
	return id, grant, err
}

// granted is grant, and who asks.
func (v Verifications) granted(c *gin.Context) (id string, person access.Person, grant index.Grant, err error) {
	id, ok := verification.ID(c.Param("id"))
	if !ok {
		return "", person, grant, fault.New(fault.RequestNotFound)
	}
	if person, err = v.person(c); err != nil {
		return "", person, grant, err
	}
	grant, err = v.Access.Grant(c.Request.Context(), person, request.From(c).Session.ID(), id)
	return id, person, grant, err
}

// audited records e, which was done to a transaction, unless err is why it was not, and
// returns err.
func (v Verifications) audited(c *gin.Context, e audit.Event, grant index.Grant, err error) error {
	if err != nil {
		return err
	}
	e.Kind = audit.VerificationChanged
	if !grant.Starter {
		e.OnBehalfOf = grant.StartedBy
	}
	request.Audit(c, e)
	return nil
}
