package web

import (
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/request"
)

// group is the properties of a group of routes that knows who asks.
type group struct {
	// base is the path that the routes begin with.
	base string
	// page says that the answers are pages.
	page    bool
	dialect request.Dialect
	// body is how many bytes of a body are read at most; zero where the routes bound
	// that themselves.
	body int64
	// transfer says that the routes carry files: what moves goes on.
	transfer bool
	// token judges the token of a program: liveToken or anyToken.
	token func(*gin.Context) error
	// touch says that each request prolongs the session.
	touch bool
}

func (e *edge) group(engine *gin.Engine, k group) *gin.RouterGroup {
	if k.dialect != request.PlainDialect {
		e.dialects[k.base] = k.dialect
	}
	g := engine.Group(k.base)
	if k.page {
		g.Use(handle(asPage))
	}
	g.Use(speak(k.dialect), e.interstitial)
	if k.transfer {
		g.Use(e.transfer)
	}
	if k.body > 0 {
		g.Use(handle(bodyLimit(k.body)))
	}
	g.Use(handle(e.session), handle(k.token), handle(e.sameOrigin))
	if k.touch {
		g.Use(e.touch)
	}
	if k.transfer {
		g.Use(e.uploads)
	}
	return g
}

// speak has the errors of a group be said in dialect.
func speak(dialect request.Dialect) gin.HandlerFunc {
	return func(c *gin.Context) { request.From(c).Dialect = dialect }
}

// unmatched finds the dialect of a path that no route serves, by the groups that
// serve those beside it.
func (e *edge) unmatched(c *gin.Context) {
	for base, dialect := range e.dialects {
		if strings.HasPrefix(c.Request.URL.Path, base+"/") || c.Request.URL.Path == base {
			request.From(c).Dialect = dialect
		}
	}
}
