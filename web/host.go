package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// ownHost refuses requests under another host name: a page under a foreign name that
// resolves to our address would otherwise share our origin in a browser (DNS rebinding).
func (e *edge) ownHost(c *gin.Context) error {
	if !strings.EqualFold(stripDefaultPort(c.Request.Host, e.https), e.host) {
		e.dialectOfPath(c)
		return fault.New(fault.RequestHost)
	}
	return nil
}

// isNavigation reports whether the request looks like a person opening an address.
func isNavigation(c *gin.Context) bool {
	return c.Request.Method == http.MethodGet && strings.Contains(c.GetHeader("Accept"), "text/html")
}

// answerWrongHost answers a person who came under another host name with a page that links to
// the right one.
func (e *edge) answerWrongHost(c *gin.Context) error {
	asDocument(c)
	info := request.From(c)
	info.Nonce = newNonce()
	c.Header("Content-Security-Policy", "default-src 'none'; style-src 'nonce-"+info.Nonce+"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return e.Renderer.OtherHost(c, e.PublicOrigin)
}

// splitOrigin returns the host[:port] of a canonical origin, and whether the scheme is
// https.
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
