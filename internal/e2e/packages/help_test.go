package packages_test

import (
	"encoding/base64"
	"net/http"
	"strings"

	"countersign/internal/e2e/e2etest"
)

type members = map[string]any

var has, lacks = e2etest.Says, e2etest.SaysNone

// blank is a document of one empty page.
const blank = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// lease returns a package that people sign one after the other.
func lease(name, status string, emails ...string) members {
	roles, approvals := []any{}, []any{}
	for i, email := range emails {
		id, _, _ := strings.Cut(email, "@")
		roles = append(roles, members{"id": id, "index": i + 1, "signers": []any{members{"email": email, "firstName": strings.ToUpper(id[:1]) + id[1:], "lastName": "Signer"}}})
		approvals = append(approvals, members{"role": id, "fields": []any{members{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100 * (i + 1), "left": 72, "width": 200, "height": 40}}})
	}
	return members{"name": name, "status": status, "roles": roles, "documents": []any{
		members{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString([]byte(blank)), "approvals": approvals},
	}}
}

// create makes a package, and returns its id.
func create(c *e2etest.Client, p members) string {
	c.T.Helper()
	return c.Send("POST", "/api/packages", p).Want(http.StatusOK).Text("id")
}

// indexed waits until the index is complete.
func indexed(c *e2etest.Client) {
	c.T.Helper()
	e2etest.Eventually(c.T, "the index is whole", func() bool { return c.Send("GET", "/api/packages?mine=owner", nil).Status == http.StatusOK })
}
