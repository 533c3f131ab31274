package portal

import (
	"io"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/templates"
)

// Audit answers GET /packages/{id}/audit: what happened to the package. Signers read it
// when all have signed.
func (p PackagePage) Audit(c *gin.Context) error {
	o, err := p.open(c)
	if err != nil {
		return err
	}
	if o.grant.Standing == index.Signer && !signing.Finished(o.whole.Status) {
		return fault.New(fault.SigningState)
	}
	events, err := p.Platform.Audit(c.Request.Context(), o.id)
	if err != nil {
		return err
	}
	v := templates.PackageAudit{Common: page.Common(c), ID: o.id, Name: o.shown.Name}
	for _, e := range events {
		v.Events = append(v.Events, templates.AuditEvent{Type: e.Type, At: e.At.Time, Target: e.Target, User: e.User, Email: e.Email, IP: e.IP, Data: e.Data})
	}
	return p.Renderer.Render(c, http.StatusOK, func(w io.Writer) error { return p.Renderer.Templates.PackageAudit(w, v) })
}
