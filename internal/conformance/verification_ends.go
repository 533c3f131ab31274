package conformance

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/config"
	"countersign/internal/upstream"
	"countersign/internal/verification/platform"
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
	marked := c.mark(t, 30, c.id(path))
	if event, _ := c.unmark(t, c.id(path)).(string); !platform.IsRecovered(event) {
		t.Errorf("%q, want the words of a recovery", event)
	}
	for _, one := range []struct {
		got  any
		want string
	}{
		{marked, "Transaction Erase Request - Accepted"},
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
	front, _ := at(images, "verified_images", "0")["image_submitted_document_front"].(string)
	c.send(t, http.MethodGet, c.dataPath(t, c.id(path), front), nil).wantStatus(t, http.StatusOK)
	c.wantPDF(t, path+"/document/AuditTrailDocument/pdf")
	c.send(t, http.MethodPut, path+"/event", cancelled).wantRefused(t)
}

// auditTrailTime limits how long a platform may take to make an audit trail.
const auditTrailTime = 10 * time.Second

func auditTrail(t *T, c verificationContract) {
	path := c.create(t, nil)
	link := c.makeTrail(t, path)
	if err := c.Wait(t.Context(), auditTrailTime); err != nil {
		t.Fatalf("the clock: %v", err)
	}
	c.wantPDF(t, c.dataPath(t, c.id(path), link))
	if again := c.makeTrail(t, path); again != link {
		t.Errorf("without force it is at %q, and was at %q", again, link)
	}
	if other := strings.ReplaceAll(link, c.id(path), unknownID); other != link {
		c.send(t, http.MethodGet, c.dataPath(t, c.id(path), other), nil).wantRefused(t)
	}
}

// makeTrail has the audit trail of the transaction at path made and returns its link: the
// url of the answer, or all of it.
func (c verificationContract) makeTrail(t *T, path string) string {
	made := c.send(t, http.MethodPost, path+"/generate-audit-trail?force=false", nil)
	if made.status >= http.StatusMultipleChoices {
		t.Fatalf("%s: %d %.500s", made.call, made.status, made.body)
	}
	var answer any
	if err := json.Unmarshal(made.body, &answer); err != nil {
		return strings.TrimSpace(string(made.body))
	}
	if object, ok := answer.(members); ok {
		answer = object["url"]
	}
	link, _ := answer.(string)
	return link
}

// dataPath returns the path at which a link is read: an address in the storage, or one
// below the platform's.
func (c verificationContract) dataPath(t *T, id, link string) string {
	if !strings.HasPrefix(link, "sfs://") {
		if !strings.HasPrefix(link, c.URL+"/") {
			t.Fatalf("the link is %q", link)
		}
		return strings.TrimPrefix(link, c.URL)
	}
	at := slices.IndexFunc(platform.Paths(), func(p config.Path) bool { return p.Operation == "getTransactionData" })
	path, ok := upstream.Fill(cmp.Or(c.Paths["getTransactionData"], platform.Paths()[at].Default), map[string]string{"transaction": id, "url": link})
	if !ok {
		t.Fatalf("the link is %q", link)
	}
	return path
}
