package conformance

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// verificationFacts are the cases of what is assumed of the API for identity
// verification, because the specification does not show it.
func verificationFacts() []testCase[verificationContract] {
	return []testCase[verificationContract]{
		{name: "every call has its path", fact: "identity verification facts 2", run: verificationPaths},
		{name: "the address of the page", fact: "identity verification facts 3", run: pageAddress},
	}
}

// idPattern stands in regular expressions for the id of one.
const idPattern = `[0-9A-Za-z-]{36}`

var placeholderOfPath = regexp.MustCompile(`\\\{(\w+)\\\}`)

// templateOf matches the paths of a default template, in either of the platform's two
// families.
func templateOf(path string) *regexp.Regexp {
	text := placeholderOfPath.ReplaceAllStringFunc(regexp.QuoteMeta(path), func(name string) string {
		if name == `\{transaction\}` {
			return `(?P<transaction>` + idPattern + `)`
		}
		return `(?P<` + strings.Trim(name, `\{}`) + `>[^/]+)`
	})
	for _, family := range []string{"/api/transaction/", "/api/transactions/"} {
		if rest, ok := strings.CutPrefix(text, family+"(?P"); ok {
			text = "/api/transactions?/(?P" + rest
		}
	}
	return regexp.MustCompile("^" + text + "$")
}

// set is the path as it is set, where the default is path.
func (c verificationContract) set(path string) string {
	path, query, asked := strings.Cut(path, "?")
	for _, p := range verification.PathSettings() {
		pattern := templateOf(p.Default)
		match := pattern.FindStringSubmatch(path)
		if match == nil {
			continue
		}
		values := map[string]string{}
		for i, name := range pattern.SubexpNames() {
			values[name] = match[i]
		}
		template := p.Default
		if own := c.Paths[p.Name]; own != "" {
			template = own
		}
		if filled, ok := upstream.Fill(template, values); ok {
			path = filled
		}
		break
	}
	if asked {
		path += "?" + query
	}
	return path
}

// verificationPaths tries whether something answers at the path of each operation, and
// else at that of the other family.
func verificationPaths(t *T, c verificationContract) {
	path := c.create(t, nil)
	for _, probe := range []struct {
		setting, method, path string
		body                  any
	}{
		{"CREATE_TRANSACTION", http.MethodPut, "/api/transaction/", members{}},
		{"TRANSACTION", http.MethodGet, path, nil},
		{"VERIFICATION_RESULTS", http.MethodGet, path + "/verification", nil},
		{"TRANSACTION_EVENT", http.MethodPut, path + "/event", members{"trigger": "conformance"}},
		{"MARK_FOR_ERASURE", http.MethodPost, "/api/transactions/mark-for-erasure", members{"grace_period": 0, "transaction_ids": []string{}}},
		{"UNMARK_FOR_ERASURE", http.MethodPost, "/api/transactions/unmark-for-erasure", members{"transaction_ids": []string{unknownID}}},
		{"SESSION_TOKEN", http.MethodPost, path + "/token", members{"role": c.Role}},
		{"DETAILED_REPORT", http.MethodGet, path + "/detailed-verification-report", nil},
	} {
		a := c.send(t, probe.method, probe.path, probe.body)
		if !a.nowhere() {
			continue
		}
		name := "PLATFORM_PATHS_" + probe.setting
		t.Errorf("%s: %s: %d %.300s", name, a.call, a.status, a.body)
		for _, p := range verification.PathSettings() {
			other := otherFamily(p.Default)
			at := strings.ReplaceAll(other, "{transaction}", c.id(path))
			if p.Name == name && !c.do(t, request(t, probe.method, c.URL+at, "application/json", probe.body)).nowhere() {
				t.Needs(name, other, "something answers there, and nothing at the path that is set")
			}
		}
	}
}

func (r reply) nowhere() bool {
	return r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed || r.status == http.StatusNotImplemented
}

// otherFamily is the path in the platform's other family.
func otherFamily(path string) string {
	if rest, ok := strings.CutPrefix(path, "/api/transactions/"); ok {
		return "/api/transaction/" + rest
	}
	return strings.Replace(path, "/api/transaction/", "/api/transactions/", 1)
}

// pageAddress is where a person is sent, and its form.
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
