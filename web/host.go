package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// ownHost refuses requests that came in under another name than ours: a page of
// a name that was pointed at our address would else be of our origin to a
// browser (DNS rebinding).
func (e *edge) ownHost(c *gin.Context) error {
	if !strings.EqualFold(stripDefaultPort(c.Request.Host, e.https), e.host) {
		return fault.New(fault.RequestHost)
	}
	return nil
}

// navigates reports whether a person opens an address, as far as the request tells.
func navigates(c *gin.Context) bool {
	return c.Request.Method == http.MethodGet && strings.Contains(c.GetHeader("Accept"), "text/html")
}

// elsewhere shows a person who came in under another name the way to the right one.
func (e *edge) elsewhere(c *gin.Context) error {
	asDocument(c)
	info := request.From(c)
	info.Nonce = newNonce()
	c.Header("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+info.Nonce+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return e.Renderer.Elsewhere(c, e.PublicOrigin)
}

// splitOrigin is the host[:port] of a canonical origin, and whether it is https.
func splitOrigin(origin string) (host string, https bool) {
	u, err := url.Parse(origin)
	if err != nil {
		return "", false
	}
	https = u.Scheme == "https"
	return stripDefaultPort(u.Host, https), https
}

func stripDefaultPort(host string, https bool) string {
	if https {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}
