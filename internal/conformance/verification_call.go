package conformance

import (
	"bytes"
	"maps"
	"net/http"
	"strings"

	"countersign/internal/verification/platform"
)

// unknownID is no id of a transaction, workflow or brand.
const unknownID = "00000000-0000-4000-8000-000000000000"

// cancelled is the event that ends a transaction.
var cancelled = members{"trigger": "transaction_cancelled"}

func (c verificationContract) send(t *T, method, path string, body any) reply {
	return c.do(t, request(t, method, c.URL+c.rewrite(method, path), "application/json", body))
}

// rewrite returns the operation's path according to the platform's settings.
func (c verificationContract) rewrite(method, path string) string {
	return rewritePath(method, path, platform.Paths(), c.Paths)
}

func (c verificationContract) do(t *T, r *http.Request) reply {
	r.Header.Set("Authorization", c.Authorization)
	r.Header.Set("X-Tenant", c.Tenant)
	return exchange(t, c.http, r)
}

// get returns the object at a path.
func (c verificationContract) get(t *T, path string) members {
	a := c.send(t, http.MethodGet, path, nil)
	a.wantStatus(t, http.StatusOK)
	return a.json(t)
}

// payload returns a transaction's payload with changed members.
func (c verificationContract) payload(change members) members {
	p := members{
		"workflow_id": c.Workflow, "brand_id": c.Brand, "language": "en", "tokens": []members{{"role": c.Role}},
		"users": []members{{"first_name": "Alice", "last_name": "Sample", "dob": "1990-01-31T00:00:00.000Z"}},
	}
	maps.Copy(p, change)
	return p
}

// create starts a transaction, which is marked for erasure after the case, and returns
// its path.
func (c verificationContract) create(t *T, change members) string {
	a := c.send(t, http.MethodPut, "/api/transaction/", c.payload(change))
	a.wantStatus(t, http.StatusOK)
	made := id(a.json(t))
	t.Cleanup(func() {
		body := strings.NewReader(`{"grace_period":0,"transaction_ids":["` + made + `"]}`)
		r, err := http.NewRequest(http.MethodPost, c.URL+c.rewrite(http.MethodPost, "/api/transactions/mark-for-erasure"), body) //nolint:noctx // The test's context has ended.
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			c.do(t, r)
		}
	})
	return "/api/transactions/" + made
}

// id returns the id of the transaction at a path.
func (c verificationContract) id(path string) string {
	return strings.TrimPrefix(path, "/api/transactions/")
}

func (c verificationContract) wantPDF(t *T, path string) {
	a := c.send(t, http.MethodGet, path, nil)
	a.wantStatus(t, http.StatusOK)
	if !bytes.HasPrefix(a.body, []byte("%PDF-")) {
		t.Errorf("%s begins with %.20q", a.call, a.body)
	}
}

func (r reply) wantStatus(t *T, status int) {
	if r.status != status {
		t.Errorf("%s: %d %.500s, want %d", r.call, r.status, r.body, status)
	}
}

// wantRefused checks for a refusal because of a transaction's state, whose status is not
// documented.
func (r reply) wantRefused(t *T) {
	if r.status < http.StatusBadRequest || r.status >= http.StatusInternalServerError {
		t.Errorf("%s: %d %.500s, want it refused", r.call, r.status, r.body)
	}
}
