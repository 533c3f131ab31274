package portal

import (
	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/config"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/templates"
)

// Packages are the packages of whoever is signed in, for their pages and streams. Who may
// what is the policy of access, the same as below /api.
type Packages struct {
	// Platform is nil where nothing is signed here.
	Platform *signing.Client
	Access   *index.Index
	// Person is who asks; the error is session.required when signed out.
	Person func(*gin.Context) (access.Person, error)
	// OperatorsCreate says that operators alone create packages.
	OperatorsCreate bool
	// Production says that payloads must name no address that nobody has.
	Production bool
	// Sites are the hosts of the platform's signing pages.
	Sites config.Hosts
	// Revisions numbers what packages contain, for their pages and streams.
	Revisions events.Revisions
	Left      page.FormRecovery
}

// InUse is request.not-found where nothing is signed here.
func (p Packages) InUse(*gin.Context) error {
	if p.Platform == nil {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// mayCreate reports whether person may create packages.
func (p Packages) mayCreate(person access.Person) bool { return !p.OperatorsCreate || person.Operator }

// grant is the package that the path names, and what the person may with it; whoever is
// nothing to it gets request.not-found.
func (p Packages) grant(c *gin.Context) (id string, person access.Person, grant index.Grant, err error) {
	id = c.Param("id")
	if !signing.ValidID(id) {
		return "", person, grant, fault.New(fault.RequestNotFound)
	}
	if person, err = p.Person(c); err != nil {
		return "", person, grant, err
	}
	grant, err = p.Access.Grant(c.Request.Context(), person, request.From(c).Session.ID(), id)
	return id, person, grant, err
}

// shown is what the person is shown of a package.
func shown(value []byte, person access.Person, g index.Grant) (signing.Package, error) {
	if g.Standing == index.Signer {
		viewer := signing.Viewer{Email: person.Email, Roles: g.Roles, Signers: g.Signers, Documents: g.Sees}
		reduced, err := signing.Reduce(value, viewer)
		if err != nil {
			return signing.Package{}, err
		}
		value = reduced
	}
	return signing.ReadPackage(value)
}

// mostCounted is how many packages are looked at to say how many wait for a person.
const mostCounted = 100

// waiting is how many packages wait for the person to sign: of those that are to be signed
// by them, the ones whose turn has come. What is beyond mostCounted counts as such.
func (p Packages) WaitingCount(c *gin.Context, person access.Person) (int, error) {
	page, err := p.Access.List(c.Request.Context(), person, index.Query{Mine: index.MineToSign, From: 1, To: mostCounted})
	if err != nil {
		return 0, err
	}
	count := max(0, page.Count-mostCounted)
	for _, item := range page.Items {
		pkg, err := signing.ReadPackage(item.Package)
		if err != nil {
			return 0, err
		}
		if _, signing := ownSigning(pkg, item.Grant, progressIn(item)); signing == templates.SigningNow {
			count++
		}
	}
	return count, nil
}
