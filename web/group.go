package web

import (
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/people"
	"countersign/internal/request"
)

// group holds the properties of a group of routes that looks up the session.
type group struct {
	// base is the path that the routes begin with.
	base string
	// page says that the answers are pages, either that they are for clients that prefer HTML.
	page, either bool

	dialect request.Dialect
	// body limits the bytes of a request's body; zero if the routes limit it themselves.
	body int64
	// transfer says that the routes carry files: a moving transfer may take any time.
	transfer bool
	// token judges the token of a program: liveToken or anyToken.
	token func(*gin.Context) error
	// operations says that the routes belong to the APIs.
	operations bool
	// touch says that each request prolongs the session.
	touch bool
	// unchecked says that the requests go on without asking whether the person may still use
	// their account: the platform judges them, or they are never held up.
	unchecked bool
	// unbound says that a session that is bound to its browser needs no fresh proof of that.
	unbound bool
}

func (e *edge) group(engine *gin.Engine, k group) *gin.RouterGroup {
	if k.dialect != request.PlainDialect {
		e.dialects[k.base] = k.dialect
	}
	g := engine.Group(k.base)
	if k.page {
		g.Use(handle(asPage))
	}
	if k.either {
		g.Use(handle(asPreferredPage))
	}
	g.Use(setDialect(k.dialect), e.interstitial)
	if k.transfer {
		g.Use(e.transfer)
	}
	if k.body > 0 {
		g.Use(handle(bodyLimit(k.body)))
	}
	if k.operations {
		g.Use(func(c *gin.Context) { e.operation(c) })
	}
	g.Use(handle(e.session), handle(k.token), handle(e.sameOrigin))
	if !k.unbound {
		g.Use(handle(e.ownBrowser))
	}
	if !k.unchecked {
		g.Use(handle(e.account))
	}
	if k.touch {
		g.Use(e.touch)
	}
	if k.transfer {
		g.Use(e.uploads)
	}
	if k.page {
		g.Use(e.ownForm, e.onePress)
	}
	return g
}

// asPreferredPage marks the answer as a page for a client that prefers HTML.
func asPreferredPage(c *gin.Context) error {
	c.Header("Vary", "Accept")
	if people.PrefersPage(c.Request) {
		return asPage(c)
	}
	return nil
}

// setDialect sets the dialect of the errors of a group.
func setDialect(dialect request.Dialect) gin.HandlerFunc {
	return func(c *gin.Context) { request.From(c).Dialect = dialect }
}

// dialectOfPath sets the dialect of a request that enters no group of routes, because its
// path has no route or its host is not ours, to that of the group whose base it begins with.
func (e *edge) dialectOfPath(c *gin.Context) {
	for base, dialect := range e.dialects {
		if strings.HasPrefix(c.Request.URL.Path, base+"/") || c.Request.URL.Path == base {
			request.From(c).Dialect = dialect
		}
	}
}
