package conformance

import (
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/payload"
)

// pagePDF is a document of one empty page.
const pagePDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<>>>>endobj\n" +
	"xref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \n0000000101 00000 n \n" +
	"trailer<</Size 4/Root 1 0 R>>\nstartxref\n178\n%%EOF\n"

func roles(t *T, c signingContract) {
	path := c.create(t, members{"name": "Conformance"})
	made := c.send(t, http.MethodPost, path+"/roles", members{"type": "SIGNER", "signers": c.role("")["signers"]}).json(t)
	if id(made) == "" {
		t.Fatalf("a role without an id: %v", made)
	}
	want(t, made, "locked", false)
	role := path + "/roles/" + url.PathEscape(id(made))
	changed := c.send(t, http.MethodPut, role, members{"type": "SIGNER", "signers": []members{{"company": "Analytical Engines"}}}).json(t)
	want(t, changed, "id", id(made))
	want(t, at(changed, "signers", "0"), "company", "Analytical Engines")
	want(t, at(changed, "signers", "0"), "email", payload.FoldAddress(c.Signer))
	if count, _ := c.get(t, path+"/roles")["count"].(float64); count != 2 {
		t.Errorf("%v roles, want the signer's and the owner's", count)
	}
	c.send(t, http.MethodDelete, role, nil).wantEmpty(t)
	c.send(t, http.MethodGet, role, nil).wantError(t, http.StatusNotFound)
	c.send(t, http.MethodPost, path+"/roles", members{"id": "", "type": "NOBODY"}).wantError(t, http.StatusBadRequest)
}

func roleWithApprovals(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("DRAFT"))
	c.send(t, http.MethodDelete, path+"/roles/signer1", nil).wantEmpty(t)
	if left, _ := at(c.get(t, path), "documents", "1")["approvals"].([]any); len(left) != 0 {
		t.Errorf("approvals of no role: %v", left)
	}
}

// toSign returns a package that one signer has to sign.
func (c signingContract) toSign(status string) members {
	return members{"name": "Conformance", "status": status, "roles": []members{c.role("signer1")}, "documents": []members{{
		"id": "contract", "name": "Contract", "approvals": []members{{"id": "approval1", "role": "signer1", "name": "", "fields": []members{
			{"id": "field1", "type": "SIGNATURE", "subtype": "FULLNAME", "top": 100, "left": 100, "width": 200, "height": 50},
		}}},
	}}}
}

func uploads(t *T, c signingContract) {
	for _, order := range [][]string{{"payload", "file"}, {"file", "payload"}} {
		path := c.upload(t, order, c.toSign("DRAFT"))
		if original := c.send(t, http.MethodGet, path+"/documents/contract/original", nil); string(original.body) != pagePDF {
			t.Errorf("%v: %d bytes came back", order, len(original.body))
		}
		field := at(c.get(t, path+"/documents/contract"), "approvals", "0", "fields", "0")
		want(t, field, "left", 100.0)
		want(t, field, "page", 0.0)
	}
}

func documents(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("DRAFT"))
	c.send(t, http.MethodDelete, path+"/documents/contract", nil).wantEmpty(t)
	c.send(t, http.MethodGet, path+"/documents/contract", nil).wantError(t, http.StatusNotFound)
	if left, _ := c.get(t, path)["documents"].([]any); len(left) != 1 {
		t.Errorf("%d documents, want the consent alone", len(left))
	}
}

func impossibleStatus(t *T, c signingContract) {
	path := c.create(t, members{"name": "Conformance", "roles": []members{{"id": "signer1", "type": "SIGNER"}}})
	refusal := c.send(t, http.MethodPut, path, members{"status": "SENT"})
	refusal.wantError(t, http.StatusBadRequest)
	want(t, refusal.json(t), "messageKey", "error.validation.packageActivation.unassignedRole")
	c.send(t, http.MethodGet, path+"/roles/signer1/signingUrl", nil).wantError(t, http.StatusBadRequest)
}

func signerSigns(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	link, _ := c.get(t, path+"/roles/signer1/signingUrl")["url"].(string)
	if u, err := url.Parse(link); err != nil || u.Host == "" {
		t.Errorf("the signing URL is %q", link)
	}
	token := c.token(t, path)
	session := c.session(t, token)
	c.send(t, http.MethodGet, "/auth?signerAuthenticationToken="+url.QueryEscape(token), nil).wantError(t, http.StatusUnauthorized)
	want(t, c.get(t, path+"/signingStatus?signer=signer1"), "status", "SIGNING_PENDING")
	c.showing("").sendAs(t, session, path+"/documents/signed_documents", members{"documents": []members{{"id": "contract"}}}).wantEmpty(t)
	want(t, c.get(t, path), "status", "COMPLETED")
	if pdf := c.send(t, http.MethodGet, path+"/evidence/summary", nil); !strings.HasPrefix(string(pdf.body), "%PDF-") {
		t.Errorf("the evidence begins with %.20q", pdf.body)
	}
	if trail := c.get(t, path+"/audit"); at(trail, "audit-events", "0")["type"] == nil {
		t.Errorf("the audit trail is %v", trail)
	}
}

func customFields(t *T, c signingContract) {
	const fields, one = "/api/account/customfields", "/api/account/customfields/conformance"
	if all := c.send(t, http.MethodGet, fields, nil); all.status == http.StatusForbidden {
		t.Fatalf("%s: %d %.300s: custom fields are not enabled for the account", all.call, all.status, all.body)
	}
	defer c.send(t, http.MethodDelete, one, nil)
	if unknown := c.send(t, http.MethodGet, one, nil); unknown.status >= http.StatusBadRequest || len(unknown.body) > 0 {
		t.Errorf("an unknown custom field: %d %s", unknown.status, unknown.body)
	}
	for _, value := range []string{"first", "second"} {
		field := members{"id": "conformance", "value": value, "translations": []members{{"name": "Conformance"}}}
		made := c.send(t, http.MethodPost, fields, field).json(t)
		want(t, made, "value", value)
		want(t, at(made, "translations", "0"), "language", "en")
		want(t, c.get(t, one), "value", value)
	}
	c.send(t, http.MethodDelete, one, nil).wantEmpty(t)
}
