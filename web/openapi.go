package web

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/session"
)

// openAPIDocument is the contract of all routes, as OpenAPI 3.1. It is kept
// by hand: tests hold it to the routes, and every answer to it.
//
//go:embed openapi.json
var openAPIDocument string

// What the document says of an installation that is nowhere: the origin, in the
// server's address and in examples, and the session cookie of https.
const (
	documentOrigin = `https://countersign.example`
	documentCookie = `"name": "__Host-Http-countersign"`
)

// openAPI answers GET /openapi.json: the document as it holds for this
// installation.
func (e *edge) openAPI(c *gin.Context) error {
	c.Header("Cache-Control", "public, max-age=300")
	c.Data(http.StatusOK, "application/json", documentFor(e.PublicOrigin, session.CookieName(e.https)))
	return nil
}

// documentFor is the document of the installation at origin, whose session
// cookie has the name cookie. Neither needs escaping in JSON: an origin is a
// scheme, a host and a port, and a cookie's name is ours.
func documentFor(origin, cookie string) []byte {
	here := strings.NewReplacer(documentOrigin, origin, documentCookie, `"name": "`+cookie+`"`)
	return []byte(here.Replace(openAPIDocument))
}
