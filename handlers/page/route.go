package page

import "github.com/gin-gonic/gin"

// Kind says how the edge treats the requests of a route.
type Kind int

// The kinds of routes.
const (
	// Ordinary is a page or its form. Each request prolongs the session, except with ?live=yes, by
	// which a page reads itself again.
	Ordinary Kind = iota
	// Part is a picture, a stream or data of a page. It does not prolong the session, and its
	// errors are JSON.
	Part
	// Upload is a form whose files may have any size; its handler limits them.
	Upload
	// Form is a form with small files.
	Form
)

// Step is a part of answering a request.
type Step = func(*gin.Context) error

// Route is the address of a page, or of a form or a part of one. Its steps run in the order
// of the fields; those that are nil are left out.
type Route struct {
	// Method is GET, which answers HEAD too, or POST.
	Method string
	// Path is the path in the form of gin, such as /packages/:id.
	Path string
	Kind Kind
	// InUse refuses requests of an installation that does not have the page.
	InUse Step
	// KeepExpired keeps a posted form whose session has ended.
	KeepExpired Step
	// SignedOut says that people who are signed out have the page too.
	SignedOut bool
	// Permit refuses signed-in people who cannot see the page.
	Permit Step
	Serve  Step
}
