package portal

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/templates"
)

var auditTemplate = page.For[templates.PackageAudit]("package-audit")

// audit answers GET /packages/{id}/audit with the history of the package.
func (p packagePage) audit(c *gin.Context) error {
	_, o, err := p.open(c)
	if err != nil {
		return err
	}
	events, err := p.Service.History(c.Request.Context(), o)
	if err != nil {
		return err
	}
	v := templates.PackageAudit{Common: page.Common(c), ID: o.ID, Name: o.Visible.Name}
	for _, e := range events {
		v.Events = append(v.Events, templates.AuditEvent{Type: e.Type, At: e.At.Time, Target: e.Target, User: e.User, Email: e.Email, IP: e.IP, Data: e.Data})
	}
	return auditTemplate.Show(c, p.Renderer, http.StatusOK, v)
}
