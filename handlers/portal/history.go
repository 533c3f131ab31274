package portal

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/templates"
)

var auditTemplate = page.For[auditView]("package-audit")

// auditView is "/packages/{id}/audit".
type auditView struct {
	templates.Common
	ID, Name string
	Events   []auditRow
}

// Href returns the path of the package's page.
func (v auditView) Href() string { return packagePath(v.ID) }

// auditRow is an entry of the audit trail; unknown members are empty.
type auditRow struct{ signing.AuditEvent }

var auditIDs = map[string]string{
	"Accept":                        "page.package-audit.accepted",
	"Click To Sign":                 "page.package-audit.signed",
	"Click To Initial":              "page.package-audit.initialled",
	"Capture Signature":             "page.package-audit.drawn",
	"Confirm":                       "page.package-audit.confirmed",
	"Download":                      "page.package-audit.downloaded",
	"Download Zip":                  "page.package-audit.downloaded",
	"Form Field":                    "page.package-audit.filled",
	"Login":                         "page.package-audit.identified",
	"View":                          "page.package-audit.viewed",
	"Opt Out":                       "page.package-audit.refused",
	"Signing Session For Recipient": "page.package-audit.opened",
	"Decline":                       "page.package-audit.declined",
}

// What returns the name of the event, or the platform's own name if we have none.
func (e auditRow) What(v templates.View) string {
	if id, ok := auditIDs[e.Type]; ok {
		return v.T(id)
	}
	return safetext.Isolate(e.Type)
}

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
	v := auditView{Common: page.Common(c), ID: o.ID, Name: o.Visible.Name}
	for _, e := range events {
		v.Events = append(v.Events, auditRow{e})
	}
	return auditTemplate.Show(c, p.Renderer, http.StatusOK, v)
}
