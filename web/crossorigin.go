package web

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
)

// sameOrigin is the cross-origin defence: it refuses an unsafe request of a browser that
// does not come from our own origin. This also holds without a cookie, since even a
// sign-in is worth forging. A program's request, with neither header and no cookie,
// passes, and so does any request with Authorization.
//
// A proxy that sets Referrer-Policy: no-referrer has browsers send Origin: null with the forms of
// our own pages. Sec-Fetch-Site, which no page can forge, then decides alone.
func (e *edge) sameOrigin(c *gin.Context) error {
	r := c.Request
	if r.Method == http.MethodGet || r.Method == http.MethodHead || request.FromProgram(r) {
		return nil
	}
	site, origin := r.Header.Values("Sec-Fetch-Site"), r.Header.Values("Origin")
	for _, value := range site {
		if value != "same-origin" {
			return fault.New(fault.RequestCrossOrigin)
		}
	}
	for _, value := range origin {
		if value != e.PublicOrigin && (value != "null" || len(site) == 0) {
			return fault.New(fault.RequestCrossOrigin)
		}
	}
	if len(site) == 0 && len(origin) == 0 && e.hasCookie(r) {
		return fault.New(fault.RequestCrossOrigin)
	}
	return nil
}
