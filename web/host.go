package web

import (
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
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
