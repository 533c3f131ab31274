package conformance

import (
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/verification/platform"
)

// verificationFacts returns the cases for assumptions about the identity verification API
// that the specification does not settle.
func verificationFacts() []testCase[verificationContract] {
	return []testCase[verificationContract]{
		{name: "every call has its path", fact: "V2", run: verificationPaths},
		{name: "the address of the page", fact: "V3", run: pageAddress},
	}
}

// verificationPaths tries whether the path of each operation answers, or else its path in
// the other family.
func verificationPaths(t *T, c verificationContract) {
	path := c.create(t, nil)
	for _, probe := range []struct {
		operation, method, path string
		body                    any
	}{
		{"createTransaction", http.MethodPut, "/api/transaction/", members{}},
		{"getTransaction", http.MethodGet, path, nil},
		{"getTransactionVerification", http.MethodGet, path + "/verification", nil},
		{"cancelTransaction", http.MethodPut, path + "/event", members{"trigger": "conformance"}},
		{"markForErasure", http.MethodPost, "/api/transactions/mark-for-erasure", members{"grace_period": 0, "transaction_ids": []string{}}},
		{"unmarkForErasure", http.MethodPost, "/api/transactions/unmark-for-erasure", members{"transaction_ids": []string{unknownID}}},
		{"createSessionToken", http.MethodPost, path + "/token", members{"role": c.Role}},
		{"getDetailedReport", http.MethodGet, path + "/detailed-verification-report", nil},
	} {
		a := c.send(t, probe.method, probe.path, probe.body)
		if !a.nowhere() {
			continue
		}
		t.Errorf("%s: %s: %d %.300s", probe.operation, a.call, a.status, a.body)
		for _, p := range platform.Paths() {
			other := otherFamily(p.Default)
			at := strings.ReplaceAll(other, "{transaction}", c.id(path))
			if p.Operation == probe.operation && !c.do(t, request(t, probe.method, c.URL+at, "application/json", probe.body)).nowhere() {
				t.needsPath(probe.operation, other, "something answers there, and nothing at the path that is set")
			}
		}
	}
}

func (r reply) nowhere() bool {
	return r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed || r.status == http.StatusNotImplemented
}

// otherFamily returns the path in the platform's other family.
func otherFamily(path string) string {
	if rest, ok := strings.CutPrefix(path, "/api/transactions/"); ok {
		return "/api/transaction/" + rest
	}
	return strings.Replace(path, "/api/transaction/", "/api/transactions/", 1)
}

// pageAddress checks the address that a person is sent to.
func pageAddress(t *T, c verificationContract) {
	path := c.create(t, nil)
	token := at(c.get(t, path), "tokens", "0")
	link, _ := token["accessUrl"].(string)
	secret, _ := token["token"].(string)
	page, err := url.Parse(link)
	if err != nil || page.Host == "" || secret == "" {
		t.Fatalf("createTransaction: accessUrl is %q, and the token %t there", link, secret != "")
	}
	if !strings.Contains(link, c.id(path)) || !strings.Contains(link, secret) {
		t.Fatalf("createTransaction: accessUrl names neither the transaction nor its token as they are")
	}
	t.Needs("IDV_ACCESS_URL", strings.NewReplacer(c.id(path), "{transaction}", secret, "{token}").Replace(link), "accessUrl of createTransaction")
	if base, err := url.Parse(c.URL); err == nil && base.Host != page.Host {
		t.Needs("IDV_SITE_HOSTS", page.Host, "the host of accessUrl")
	}
}
