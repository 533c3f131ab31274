package verification

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/config"
	"countersign/internal/payload"
)

// IsDocument reports whether text can be the id of a document.
func IsDocument(text string) bool { return isName(text) && text != evidenceDocument }

// evidenceDocument is the id by which the platform serves the evidence as a document.
const evidenceDocument = "AuditTrailDocument"

var plainNames = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// isName reports whether text can name a document or a picture.
func isName(text string) bool { return len(text) <= 64 && plainNames.MatchString(text) }

func (e *examination) documents(whole payload.Object) {
	seen, all := map[string]bool{}, 0
	for document := range whole.Objects("documents") {
		id := document.NonEmpty("id")
		switch {
		case id != "" && !IsDocument(id):
			document.Note("id", "field.agreement-id")
		case id != "" && seen[id]:
			document.Note("id", "field.taken")
		}
		seen[id] = true
		all += e.content(document)
		if all > maxPDFs {
			document.Note("content", "field.pdf-sizes")
		}
	}
}

// content checks the content of a document and returns its size in bytes.
func (e *examination) content(document payload.Object) int {
	verdict, ok := document.Text("content")
	if template, ok := document.Text("document_template_id"); !document.Has("content") && (template == "" || !ok) {
		document.Note("content", "field.required")
	}
	size, err := strconv.Atoi(verdict)
	if ok && err != nil {
		document.Note("content", verdict)
	}
	return size
}

// redirectIDs are the redirects that the platform knows (docs/platform.md V3).
var redirectIDs = []string{"redirect_docid_pass", "redirect_docid_fail", "redirect_session_timeout", "redirect_error", "redirect_default_url"}

// opaqueIDPlaceholder is filled in here, because the platform only knows the sealed
// opaque_id.
const opaqueIDPlaceholder = "{{opaqueId}}"

func (e *examination) redirects(whole payload.Object) {
	configuration, ok := whole.Object("configuration")
	if !ok {
		return
	}
	seen := map[string]bool{}
	for redirect := range configuration.Objects("redirects") {
		id := redirect.NonEmpty("id")
		switch {
		case id != "" && (id != strings.ToUpper(id) || !slices.Contains(redirectIDs, strings.ToLower(id))):
			redirect.Note("id", "field.choice")
		case id != "" && seen[id]:
			redirect.Note("id", "field.taken")
		}
		seen[id] = true
		address := redirect.NonEmpty("url")
		if address != "" && !e.leadsHome(address) {
			redirect.Note("url", "field.redirect")
		} else if sent := strings.ReplaceAll(address, opaqueIDPlaceholder, url.QueryEscape(e.creation.Own)); sent != address {
			e.creation.setText(redirect, "url", sent)
		}
	}
}

var redirectPlaceholders = strings.NewReplacer("{{userRole}}", "x", "{{transactionId}}", "x", opaqueIDPlaceholder, "x")

// maxAddress limits the address of a redirect, in bytes.
const maxAddress = 2048

// leadsHome reports whether a person may be redirected to address.
func (e *examination) leadsHome(address string) bool {
	if len(address) > maxAddress || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return false
	}
	u, err := url.Parse(redirectPlaceholders.Replace(address))
	if err != nil || u.User != nil {
		return false
	}
	written := u.Scheme + "://" + u.Host
	origin, err := config.ParseOrigin(written)
	if err != nil || !origin.HTTPS() && !origin.Loopback() || !slices.Contains(e.Origins, origin) {
		return false
	}
	// A placeholder within the origin could lead elsewhere once it is filled in.
	authority, ok := strings.CutPrefix(strings.ToLower(address), strings.ToLower(written))
	return ok && (authority == "" || strings.ContainsAny(authority[:1], "/?#"))
}
