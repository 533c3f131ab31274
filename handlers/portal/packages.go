package portal

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// Packages are the packages of whoever is signed in, for their pages and streams. What
// people may do with them is the service's to say, as below /api.
type Packages struct {
	// Service is nil where nothing is signed here.
	Service *service.Service
	Actors  request.Actors
	Left    page.FormRecovery
}

// InUse returns request.not-found where nothing is signed here.
func (p Packages) InUse(*gin.Context) error {
	if p.Service == nil {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// open reads the package that the path names for whoever asks.
func (p Packages) open(c *gin.Context) (access.Actor, service.Opened, error) {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return who, service.Opened{}, err
	}
	o, err := p.Service.Open(c.Request.Context(), who, c.Param("id"))
	return who, o, err
}

// changeable returns who asks and the id of the package that the path names, if it is
// theirs to change.
func (p Packages) changeable(c *gin.Context) (access.Actor, string, error) {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return who, "", err
	}
	_, err = p.Service.GrantToChange(c.Request.Context(), who, c.Param("id"))
	return who, c.Param("id"), err
}

// packagePath returns the path of a package's page.
func packagePath(id string) string { return templates.PackagesPath + "/" + url.PathEscape(id) }

// signingOf returns whether the person of g is to sign a package, for its page.
func signingOf(o service.Opened, g index.Grant, how service.Progress) templates.Signing {
	_, turn := service.OwnTurn(o.Full, g, how)
	return map[service.Turn]templates.Signing{service.Later: templates.SigningLater, service.Now: templates.SigningNow}[turn]
}
