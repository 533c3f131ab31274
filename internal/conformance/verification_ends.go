package conformance

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// mark marks one transaction for erasure and returns its marking event.
func (c verificationContract) mark(t *T, days int, id string) any {
	marked := c.send(t, http.MethodPost, "/api/transactions/mark-for-erasure", members{"grace_period": days, "transaction_ids": []string{id}}).json(t)
	return at(marked, "transactions", "0")["marking_event"]
}

func (c verificationContract) unmark(t *T, id string) any {
	recovered := c.send(t, http.MethodPost, "/api/transactions/unmark-for-erasure", members{"transaction_ids": []string{id}}).json(t)
	return at(recovered, "transactions", "0")["unmarking_event"]
}

func transactionErased(t *T, c verificationContract) {
	path := c.create(t, nil)
	for _, one := range []struct {
		got  any
		want string
	}{
		{c.mark(t, 30, c.id(path)), "Transaction Erase Request - Accepted"},
		{c.unmark(t, c.id(path)), "Transaction Recovery - Accepted"},
		{c.mark(t, 0, unknownID), "Transaction Erase Request - ID field error"},
		{c.unmark(t, unknownID), "Transaction Recovery - Transaction Not Found"},
		{c.mark(t, 0, c.id(path)), "Transaction Erase Request - Accepted"},
	} {
		if one.got != one.want {
			t.Errorf("%v, want %s", one.got, one.want)
		}
	}
	c.send(t, http.MethodGet, path, nil).wantStatus(t, http.StatusNotFound)
	c.send(t, http.MethodPost, "/api/transactions/mark-for-erasure", members{"grace_period": 0, "transaction_ids": []string{}}).wantStatus(t, http.StatusBadRequest)
}

func personPasses(t *T, c verificationContract) {
	path := c.create(t, nil)
	address, _ := at(c.get(t, path), "tokens", "0")["accessUrl"].(string)
	if err := c.Play(t.Context(), address); err != nil {
		t.Fatalf("the person: %v", err)
	}
	got := c.get(t, path+"?withVerifications=true")
	want(t, got, "status", "completed")
	want(t, at(got, "verifications", "0"), "status", "SUCCESS")
	report := c.get(t, path+"/detailed-verification-report")
	want(t, report, "result", "Passed")
	want(t, at(report, "stages", "0"), "attemptNumber", 1.0)
	content, _ := at(c.get(t, path+"/verification"), "verificationResults", "0")["content"].(string)
	var parts members
	if err := json.Unmarshal([]byte(content), &parts); err != nil {
		t.Errorf("%v in the content %q", err, content)
	}
	verification, _ := at(got, "verifications", "0")["vhub_verification_id"].(string)
	images := c.get(t, path+"/verifications/"+verification+"/verification-images")
	want(t, images, "verification_id", verification)
	if front, _ := at(images, "verified_images", "0")["image_submitted_document_front"].(string); !strings.HasPrefix(front, "sfs://") {
		t.Errorf("the image is at %q", front)
	}
	c.wantPDF(t, path+"/document/AuditTrailDocument/pdf")
	c.send(t, http.MethodPut, path+"/event", cancelled).wantRefused(t)
}

// auditTrailTime limits how long a platform may take to make an audit trail.
const auditTrailTime = 10 * time.Second

func auditTrail(t *T, c verificationContract) {
	path := c.create(t, nil)
	made := c.send(t, http.MethodPost, path+"/generate-audit-trail", nil)
	link, _ := made.json(t)["url"].(string)
	if made.status >= http.StatusMultipleChoices || !strings.HasPrefix(link, c.URL) {
		t.Fatalf("%d %s", made.status, made.body)
	}
	if err := c.Wait(t.Context(), auditTrailTime); err != nil {
		t.Fatalf("the clock: %v", err)
	}
	c.wantPDF(t, strings.TrimPrefix(link, c.URL))
	want(t, c.send(t, http.MethodPost, path+"/generate-audit-trail?force=false", nil).json(t), "url", link)
}
