// Package portal implements the package pages: lists, one package, editor, corrections, custom
// fields. It decodes forms, calls the use cases of internal/signing/service and shows what
// came of them.
package portal

import (
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing/compose"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
)

// Packages serves the packages of the person who is signed in to pages and streams. The
// service decides what people may do with them, as it does for /api.
type Packages struct {
	Renderer page.Renderer
	// Service is nil if this installation has no electronic signing.
	Service  *service.Service
	Drafts   *compose.Service
	Pages    *service.Pages
	Streams  page.Streams
	Actors   request.Actors
	Recovery page.FormRecovery
	// Origin is the address at which people find this service, such as https://sign.example.
	Origin string
	// MaxUpload limits an upload, in bytes. SpoolDir is the directory for its files.
	MaxUpload int64
	SpoolDir  string
	// Verifies says that people can verify their identity here.
	Verifies bool
	Now      func() time.Time
}

// Routes returns the addresses of all pages of packages.
func (p Packages) Routes() []page.Route {
	routes := slices.Concat(
		packagesPage{p}.routes(),
		packagePage{p}.routes(),
		packageEvents{p}.routes(),
		documentPages{p}.routes(),
		signingPage{p}.routes(),
		newPackagePage{p}.routes(),
		documentHits{p}.routes(),
		recipientPage{p}.routes(),
		deletePackagesPage{p}.routes(),
		customFieldsPage{p}.routes(),
	)
	for i := range routes {
		routes[i].InUse = p.inUse
	}
	return routes
}

// once returns the cookie of the forms that make a package of another.
func (p Packages) once(c *gin.Context) page.FormToken {
	return page.FormTokenOf(c, packagesPath, p.Origin)
}

// inUse returns request.not-found if this installation has no electronic signing.
func (p Packages) inUse(*gin.Context) error {
	if p.Service == nil {
		return fault.New(fault.RequestNotFound)
	}
	return nil
}

// open returns the person who asks, and the package in the path as they may see it.
func (p Packages) open(c *gin.Context) (access.Actor, service.Opened, error) {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return who, service.Opened{}, err
	}
	o, err := p.Service.Open(c.Request.Context(), who, c.Param("id"))
	return who, o, err
}

// changeable returns the person who asks and the id of the package in the path, or an
// error if they may not change it.
func (p Packages) changeable(c *gin.Context) (access.Actor, string, error) {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return who, "", err
	}
	_, err = p.Service.GrantToChange(c.Request.Context(), who, c.Param("id"))
	return who, c.Param("id"), err
}

// packagesPath begins the paths of the pages of packages.
const packagesPath = "/packages"

// packagePath returns the path of a package's page.
func packagePath(id string) string { return packagesPath + "/" + url.PathEscape(id) }

// signingOf returns whether it is the turn of the grant's person to sign, for the
// package's page.
func signingOf(o service.Opened, g index.Grant, how service.Progress) string {
	_, turn := service.OwnTurn(o.Full, g, how)
	return map[service.Turn]string{service.Later: signsLater, service.Now: signsNow}[turn]
}
