package web

import (
	"crypto/rand"
	"encoding/base64"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/reqctx"
)

// What a browser may do with an answer that is no page: nothing.
const contentPolicyNone = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// headers puts the defences of DESIGN section 4 on every answer. Answers are
// personal until a handler says otherwise, so they are not stored.
func (e *edge) headers(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Permissions-Policy", permissionsPolicy)
	h.Set("Cache-Control", "no-store")
	if e.https {
		h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
	}
	h.Set("Content-Security-Policy", contentPolicyNone)
	if wantsPage(c) {
		nonce := newNonce()
		reqctx.From(c.Request.Context()).Nonce = nonce
		h.Set("Content-Security-Policy", pagePolicy(nonce))
	}
	c.Next()
}

const permissionsPolicy = "publickey-credentials-create=(self), publickey-credentials-get=(self), " +
	"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), " +
	"bluetooth=(), midi=(), display-capture=(), browsing-topics=()"

// pagePolicy lets a page load its own files and the one script that carries the
// nonce with what that script imports, talk to us and post its forms to us.
func pagePolicy(nonce string) string {
	return "default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'self'; img-src 'self'; " +
		"connect-src 'self'; form-action 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

func newNonce() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // crypto/rand.Read never fails: it ends the program instead
	return base64.RawStdEncoding.EncodeToString(raw[:])
}

// wantsPage reports whether the client is a browser that navigates: it asks for
// HTML by name. Programs and fetch send */* or JSON. What machines read by its
// well-known name is never a page.
func wantsPage(c *gin.Context) bool {
	path := c.Request.URL.Path
	if strings.HasPrefix(path, "/.well-known/") || path == "/uaf/facets" || path == "/openapi.json" {
		return false
	}
	return strings.Contains(c.GetHeader("Accept"), "text/html")
}
