package conformance

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// unknownID is of no transaction, workflow or brand.
const unknownID = "00000000-0000-4000-8000-000000000000"

// cancelled is the event that ends a transaction.
var cancelled = members{"trigger": "transaction_cancelled"}

// verificationAnswer is one answer of the platform.
type verificationAnswer struct {
	call   string
	status int
	body   []byte
}

func (c verificationContract) send(t *testing.T, method, path string, body any) verificationAnswer {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), method, c.URL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return c.do(t, r)
}

func (c verificationContract) do(t *testing.T, r *http.Request) verificationAnswer {
	t.Helper()
	r.Header.Set("Authorization", c.Authorization)
	r.Header.Set("X-Tenant", c.Tenant)
	response, err := c.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return verificationAnswer{r.Method + " " + r.URL.Path, response.StatusCode, body}
}

// get is the object at a path.
func (c verificationContract) get(t *testing.T, path string) members {
	t.Helper()
	a := c.send(t, http.MethodGet, path, nil)
	a.wantStatus(t, http.StatusOK)
	return a.json(t)
}

// payload is that of a transaction, with these members over its own.
func (c verificationContract) payload(change members) members {
	p := members{
		"workflow_id": c.Workflow, "brand_id": c.Brand, "language": "en", "tokens": []members{{"role": "customer"}},
		"users": []members{{"first_name": "Alice", "last_name": "Sample", "dob": "1990-01-31T00:00:00.000Z"}},
	}
	maps.Copy(p, change)
	return p
}

// create starts a transaction, and has it erased after the case; it returns its path.
func (c verificationContract) create(t *testing.T, change members) string {
	t.Helper()
	a := c.send(t, http.MethodPut, "/api/transaction/", c.payload(change))
	a.wantStatus(t, http.StatusOK)
	made := id(a.json(t))
	t.Cleanup(func() {
		body := strings.NewReader(`{"grace_period":0,"transaction_ids":["` + made + `"]}`)
		r, err := http.NewRequest(http.MethodPost, c.URL+"/api/transactions/mark-for-erasure", body) //nolint:noctx // The test's context has ended.
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			c.do(t, r)
		}
	})
	return "/api/transactions/" + made
}

// id is that of the transaction at a path.
func (c verificationContract) id(path string) string {
	return strings.TrimPrefix(path, "/api/transactions/")
}

func (c verificationContract) wantPDF(t *testing.T, path string) {
	t.Helper()
	a := c.send(t, http.MethodGet, path, nil)
	a.wantStatus(t, http.StatusOK)
	if !bytes.HasPrefix(a.body, []byte("%PDF-")) {
		t.Errorf("%s begins with %.20q", a.call, a.body)
	}
}

// json is the object of the body, whatever the status.
func (a verificationAnswer) json(t *testing.T) members {
	t.Helper()
	var body members
	if err := json.Unmarshal(a.body, &body); err != nil {
		t.Fatalf("%s: %d %v in %s", a.call, a.status, err, a.body)
	}
	return body
}

func (a verificationAnswer) wantStatus(t *testing.T, status int) {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: %d %.500s, want %d", a.call, a.status, a.body, status)
	}
}

// wantRefused wants the refusal of what a transaction's state does not allow, whose
// status is public nowhere.
func (a verificationAnswer) wantRefused(t *testing.T) {
	t.Helper()
	if a.status < http.StatusBadRequest || a.status >= http.StatusInternalServerError {
		t.Errorf("%s: %d %.500s, want it refused", a.call, a.status, a.body)
	}
}
