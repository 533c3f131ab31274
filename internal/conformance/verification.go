package conformance

import (
	"context"
	"net/http"
	"slices"
	"time"

	"countersign/internal/config"
)

// VerificationEnv describes a platform for identity verification to the cases.
type VerificationEnv struct {
	// URL is the address of the platform, without /api; Authorization is the credential,
	// such as "Bearer <token>", and Tenant its tenant.
	URL, Authorization, Tenant string
	// Workflow and Brand are ids that a transaction may name, Role is a role for its
	// token.
	Workflow, Brand, Role string
	// Paths replaces the operations' paths.
	Paths config.Paths
	// Play acts as a person with a good document and a good face, to the end. Nil leaves
	// out the cases that need one.
	Play func(ctx context.Context, accessURL string) error
	// Wait moves the platform's time. Nil leaves out the cases that need that.
	Wait func(ctx context.Context, d time.Duration) error
}

// verificationContract is the input of a case of identity verification.
type verificationContract struct {
	VerificationEnv
	http *http.Client
}

// Verification runs the contract of the identity verification API: parts 3.2 and 4.4 of
// the specification, and the assumptions in docs/platform.md. The cases mark the
// transactions that they create for erasure. It calls tell with each result.
func Verification(ctx context.Context, client *http.Client, env VerificationEnv, tell func(Result)) {
	cases := slices.Concat(verificationFacts(), []testCase[verificationContract]{
		{name: "a transaction is what was sent", fact: "V2", run: transactionIsSent},
		{name: "a transaction is cancelled", fact: "V4", run: transactionCancelled},
		{name: "a role gets a new token", fact: "V2", run: newToken},
		{name: "payloads of transactions that are refused", fact: "V3", run: refusedVerificationPayloads},
		{name: "an unknown transaction", run: unknownTransaction},
		{name: "a wrong token, a wrong tenant", fact: "V1", run: wrongTenant},
		{name: "a transaction is erased", fact: "V2", run: transactionErased},
		{name: "a person passes", fact: "V4, V6, V7", run: personPasses, leftOut: lacking(env.Play == nil, "no one shows a document and a face")},
		{name: "an audit trail is made", fact: "V6", run: auditTrail, leftOut: lacking(env.Wait == nil, "the platform's clock cannot be moved")},
	})
	runAll(ctx, "verification", verificationContract{env, client}, cases, nil, tell)
}

func transactionIsSent(t *T, c verificationContract) {
	path := c.create(t, members{"opaque_id": "conformance/1"})
	got := c.get(t, path)
	for name, value := range map[string]any{
		"id": c.id(path), "status": "new", "workflow_id": c.Workflow, "brand_id": c.Brand, "opaque_id": "conformance/1",
	} {
		want(t, got, name, value)
	}
	want(t, at(got, "users", "0"), "last_name", "Sample")
	want(t, at(got, "tokens", "0"), "role", c.Role)
	if address, _ := at(got, "tokens", "0")["accessUrl"].(string); address == "" {
		t.Errorf("no accessUrl in %v", got["tokens"])
	}
	if results, ok := c.get(t, path+"/verification")["verificationResults"].([]any); !ok || len(results) > 0 {
		t.Errorf("results before there are any: %v", results)
	}
	report := c.get(t, path+"/detailed-verification-report")
	want(t, report, "result", "Undefined")
	want(t, report, "status", "InProgress")
	c.send(t, http.MethodGet, path+"/document/AuditTrailDocument/pdf", nil).wantRefused(t)
}

func transactionCancelled(t *T, c verificationContract) {
	path := c.create(t, nil)
	c.send(t, http.MethodPut, path+"/event", members{"trigger": "conformance"}).wantStatus(t, http.StatusBadRequest)
	want(t, c.send(t, http.MethodPut, path+"/event", cancelled).json(t), "status", "cancelled")
	want(t, c.get(t, path), "status", "cancelled")
	c.send(t, http.MethodPut, path+"/event", cancelled).wantRefused(t)
	c.send(t, http.MethodPost, path+"/token", members{"role": c.Role}).wantRefused(t)
}

func newToken(t *T, c verificationContract) {
	path := c.create(t, nil)
	first := at(c.get(t, path), "tokens", "0")["token"]
	made := c.send(t, http.MethodPost, path+"/token", members{"role": c.Role}).json(t)
	want(t, made, "role", c.Role)
	if token, _ := made["token"].(string); token == "" || token == first {
		t.Errorf("%v after %v", made["token"], first)
	}
	c.send(t, http.MethodPost, path+"/token", members{"role": "conformance"}).wantStatus(t, http.StatusBadRequest)
}

func refusedVerificationPayloads(t *T, c verificationContract) {
	for name, change := range map[string]members{
		"another workflow": {"workflow_id": unknownID}, "another brand": {"brand_id": unknownID},
		"nobody": {"users": []members{}}, "a person without a name": {"users": []members{{"first_name": "Alice"}}},
		"a day of birth to come": {"users": []members{{"first_name": "Alice", "last_name": "Sample", "dob": "2990-01-01T00:00:00.000Z"}}},
	} {
		if a := c.send(t, http.MethodPut, "/api/transaction/", c.payload(change)); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

func unknownTransaction(t *T, c verificationContract) {
	for _, path := range []string{"", "/verification", "/detailed-verification-report", "/document/AuditTrailDocument/pdf", "/document/x/pdf"} {
		c.send(t, http.MethodGet, "/api/transaction/"+unknownID+path, nil).wantStatus(t, http.StatusNotFound)
	}
}

func wrongTenant(t *T, c verificationContract) {
	path := c.create(t, nil)
	right := c
	c.Authorization = "Bearer conformance"
	c.send(t, http.MethodGet, path, nil).wantStatus(t, http.StatusUnauthorized)
	c.Authorization, c.Tenant = right.Authorization, "conformance"
	c.send(t, http.MethodGet, path, nil).wantStatus(t, http.StatusForbidden)
}
