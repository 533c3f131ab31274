package conformance

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/payload"
)

// packageOfTemplate makes a package from a template like the SDKs: by a clone, with
// additional signers or signers instead of placeholders.
func packageOfTemplate(t *T, c signingContract) {
	placeholder := members{"id": "holder", "name": "holder", "type": "SIGNER", "signers": []members{}}
	template := c.create(t, members{"name": "Conformance", "type": "TEMPLATE", "roles": []members{placeholder}})
	made := c.send(t, http.MethodPost, template+"/clone", members{"name": "Conformance", "roles": []members{c.role("holder")}}).json(t)
	path := packages + "/" + id(made)
	defer c.send(t, http.MethodDelete, path, nil)
	p := c.get(t, path)
	want(t, p, "type", "PACKAGE")
	want(t, p, "status", "DRAFT")
	if all, _ := p["roles"].([]any); len(all) != 2 {
		t.Errorf("%d roles, want the owner's and the placeholder's", len(all))
	}
	want(t, at(c.get(t, path+"/roles/holder"), "signers", "0"), "email", payload.FoldAddress(c.Signer))
}

// conditions checks that conditions are replaced together with the field that they
// concern.
func conditions(t *T, c signingContract) {
	payload := c.toSign("DRAFT")
	payload["conditions"] = []members{{"id": "c1", "condition": "document['contract'].field['field1'].value == 'X'", "action": "document['contract'].field['field1'].disabled = true"}}
	path := c.upload(t, []string{"payload", "file"}, payload)
	want(t, at(c.get(t, path), "conditions", "0"), "id", "c1")
	field := at(c.get(t, path+"/documents/contract"), "approvals", "0", "fields", "0")
	field["conditions"] = []members{}
	c.send(t, http.MethodPut, path+"/documents/contract/approvals/approval1/fields/field1/conditionalFields", field).json(t)
	if left, _ := c.get(t, path)["conditions"].([]any); len(left) > 0 {
		t.Errorf("conditions of nothing: %v", left)
	}
}

// remindersOfSent checks that reminders may be changed and deleted after the package is
// sent.
func remindersOfSent(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("DRAFT"))
	plan := members{"packageId": idOf(path), "startInDaysDelay": 2, "intervalInDays": 1, "repetitionsCount": 5}
	set := func(method, what string, status ...int) {
		if got := c.send(t, method, path+"/reminders", plan); !slices.Contains(status, got.status) {
			t.Errorf("%s: %d %.300s, want one of %v", what, got.status, got.body, status)
		}
	}
	refused := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}
	set(http.MethodPut, "PUT without a schedule", refused...)
	plan["repetitionsCount"] = 6
	set(http.MethodPost, "a sixth reminder", refused...)
	plan["repetitionsCount"] = 5
	set(http.MethodPost, "the first schedule", http.StatusOK)
	c.send(t, http.MethodPost, path, members{"status": "SENT"}).wantEmpty(t)
	plan["intervalInDays"] = 3
	set(http.MethodPost, "POST of a sent package", refused...)
	set(http.MethodPut, "PUT of a sent package", http.StatusOK)
	want(t, c.get(t, path+"/reminders"), "intervalInDays", 3.0)
	c.send(t, http.MethodDelete, path+"/reminders", nil)
	if none := c.send(t, http.MethodGet, path+"/reminders", nil); none.status != http.StatusNoContent {
		t.Errorf("no reminders: %d %s", none.status, none.body)
	}
}

// downloads checks that a sent package's downloads differ from the upload, signed or not.
func downloads(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	shown, original := c.send(t, http.MethodGet, path+"/documents/contract/pdf", nil), c.send(t, http.MethodGet, path+"/documents/contract/original", nil)
	if string(original.body) != pagePDF || string(shown.body) == pagePDF || !strings.HasPrefix(string(shown.body), "%PDF-") {
		t.Errorf("%d bytes are shown, %d are the original", len(shown.body), len(original.body))
	}
	if archive := c.send(t, http.MethodGet, path+"/documents/zip", nil); archive.status != http.StatusOK || !strings.HasPrefix(string(archive.body), "PK") {
		t.Errorf("the archive: %d %.20q", archive.status, archive.body)
	}
}

// signingURLLeads checks that Location is an absolute URL, which the SDKs use as it is.
func signingURLLeads(t *T, c signingContract) {
	path := c.upload(t, []string{"payload", "file"}, c.toSign("SENT"))
	link, _ := c.get(t, path+"/roles/signer1/signingUrl")["url"].(string)
	_, leads := c.follow(t, link)
	if to, err := url.Parse(leads); err != nil || !to.IsAbs() {
		t.Errorf("%s leads to %q", link, leads)
	}
}
