package web

import (
	"crypto/rand"
	"encoding/base64"
	"maps"
	"net/http"
	"strings"

	"countersign/internal/request"

	"github.com/gin-gonic/gin"
)

// contentPolicyNone allows a browser nothing with an answer that is not a page.
const contentPolicyNone = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// fixedHeaders returns the defences that every answer carries. Answers are personal until
// a handler says otherwise, so they are not stored. All answers share the values: nobody
// writes into them, since Set replaces a value and Add copies a full one.
//
// There are few of them, since each costs time with every answer, and a header with more
// than eight costs twice.
func fixedHeaders(https bool) http.Header {
	h := http.Header{
		"X-Content-Type-Options":       {"nosniff"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Cache-Control":                {"no-store"},
		"Content-Security-Policy":      {contentPolicyNone},
	}
	if https {
		h["Strict-Transport-Security"] = []string{"max-age=63072000; includeSubDomains"}
	}
	return h
}

// headers puts the fixed headers on every answer.
func (e *edge) headers(c *gin.Context) {
	maps.Copy(c.Writer.Header(), e.fixed)
	c.Next()
}

// documentHeaders are the defences of an answer that a browser opens as a document: what
// links reveal of their origin, who can hold or frame its window, and which devices its
// scripts may use. Browsers ignore them on an answer to a fetch, and on scripts and
// stylesheets.
var documentHeaders = http.Header{
	"Referrer-Policy":            {"same-origin"},
	"Cache-Control":              {"no-store, " + request.Untransformed},
	"Cross-Origin-Opener-Policy": {"same-origin"},
	"X-Frame-Options":            {"DENY"},
	"Permissions-Policy":         {permissionsPolicy},
}

func asDocument(c *gin.Context) { maps.Copy(c.Writer.Header(), documentHeaders) }

// asPage marks the answer as a page, with a policy under which its one script
// runs.
func asPage(c *gin.Context) error {
	asDocument(c)
	info := request.From(c)
	info.Nonce = newNonce()
	c.Header("Content-Security-Policy", pagePolicy("'nonce-"+info.Nonce+"'"))
	return nil
}

const permissionsPolicy = "publickey-credentials-create=(self), publickey-credentials-get=(self), " +
	"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), " +
	"midi=(), display-capture=()"

// pagePolicy lets a page load its own files and the scripts of a source, connect to us and post
// its forms to us. With a nonce as the source, that is the one script that has it, and that
// script's imports.
func pagePolicy(scripts string) string {
	return "default-src 'none'; script-src " + scripts + "; style-src 'self'; img-src 'self'; " +
		"connect-src 'self'; form-action 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; " +
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

func newNonce() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand ends the program first
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// wantsPage reports whether to answer with a page: on a page's own path unless the client
// asks for JSON, and on an unknown path if it asks for HTML. Calls are answered in JSON
// whatever their Accept.
func wantsPage(c *gin.Context) bool {
	accept := c.GetHeader("Accept")
	if onPage(c) {
		return !strings.Contains(accept, "json")
	}
	return c.FullPath() == "" && strings.Contains(accept, "text/html") && !strings.HasPrefix(c.Request.URL.Path, "/.well-known/")
}

// onPage reports whether the request is for one of our pages.
func onPage(c *gin.Context) bool { return request.From(c).Nonce != "" }
