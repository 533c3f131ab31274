package identity

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/uaf"
)

// WellKnown answers what machines look up at well-known addresses: which apps and sites
// belong to this service, and where people manage their passkeys. Each answer is fixed at
// start; an empty one is not found.
type WellKnown struct {
	// PublicOrigin is the origin that people use.
	PublicOrigin string
	// Facets are the trusted facets of UAF clients.
	Facets uaf.TrustedFacets
	// RelatedOrigins are other origins where our passkeys may be used.
	RelatedOrigins []string
	// AndroidApps are Android apps: package and SHA-256 fingerprints.
	AndroidApps []AndroidApp
	// IOSApps are iOS apps, TEAMID.bundle.id.
	IOSApps []string
	// ChangePassword is the address where people change their password; empty if there is
	// none.
	ChangePassword string
}

// AndroidApp is an Android app as Digital Asset Links identifies it.
type AndroidApp struct {
	Package string
	// Fingerprint is the SHA-256 of its certificate, in capitals with colons.
	Fingerprint string
}

// TrustedFacets answers GET /uaf/facets, in the format of "FIDO AppID and Facet
// Specification": one body for every client.
func (h WellKnown) TrustedFacets(c *gin.Context) error {
	return h.answer(c, uaf.TrustedFacetsMediaType, len(h.Facets.IDs()) > 0, h.Facets)
}

// PasskeyEndpoints answers /.well-known/passkey-endpoints (W3C, "A Well-Known
// URL for Relying Party Passkey Endpoints").
func (h WellKnown) PasskeyEndpoints(c *gin.Context) error {
	page := h.PublicOrigin + "/authenticators"
	return h.answer(c, request.JSONType, true, map[string]string{"enroll": page, "manage": page})
}

// WebAuthn answers /.well-known/webauthn: the related origins of Web
// Authentication level 3, section 5.11.
func (h WellKnown) WebAuthn(c *gin.Context) error {
	return h.answer(c, request.JSONType, len(h.RelatedOrigins) > 0, map[string]any{"origins": h.RelatedOrigins})
}

// AssetLinks answers /.well-known/assetlinks.json (Digital Asset Links): our Android apps
// may use the passkeys of this site.
func (h WellKnown) AssetLinks(c *gin.Context) error {
	type target struct {
		Namespace    string   `json:"namespace"`
		Package      string   `json:"package_name"`
		Fingerprints []string `json:"sha256_cert_fingerprints"`
	}
	type statement struct {
		Relation []string `json:"relation"`
		Target   target   `json:"target"`
	}
	statements, at := []statement{}, map[string]int{}
	for _, app := range h.AndroidApps {
		i, known := at[app.Package]
		if !known {
			i = len(statements)
			at[app.Package] = i
			statements = append(statements, statement{
				[]string{"delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds"},
				target{Namespace: "android_app", Package: app.Package},
			})
		}
		statements[i].Target.Fingerprints = append(statements[i].Target.Fingerprints, app.Fingerprint)
	}
	return h.answer(c, request.JSONType, len(statements) > 0, statements)
}

// AppleAppSiteAssociation answers /.well-known/apple-app-site-association: our
// iOS apps may use the passkeys of this site.
func (h WellKnown) AppleAppSiteAssociation(c *gin.Context) error {
	return h.answer(c, request.JSONType, len(h.IOSApps) > 0, map[string]any{"webcredentials": map[string]any{"apps": h.IOSApps}})
}

// PasswordChange answers /.well-known/change-password (W3C, "A Well-Known URL
// for Changing Passwords").
func (h WellKnown) PasswordChange(c *gin.Context) error {
	if h.ChangePassword == "" {
		return fault.New(fault.RequestNotFound)
	}
	c.Header("Cache-Control", wellKnownCaching)
	c.Header("Location", h.ChangePassword) // c.Redirect would write a page
	c.Status(http.StatusFound)
	return nil
}

// wellKnownCaching makes a change of settings visible within the hour.
const wellKnownCaching = "public, max-age=3600"

// answer writes body, or request.not-found if found is false.
func (h WellKnown) answer(c *gin.Context, mediaType string, found bool, body any) error {
	if !found {
		return fault.New(fault.RequestNotFound)
	}
	c.Header("Cache-Control", wellKnownCaching)
	return request.AnswerAs(c, http.StatusOK, mediaType, body)
}
