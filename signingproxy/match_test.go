package signingproxy

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/signing/platform"
)

var all = newRoutes(operations(platform.New(nil, nil)))

func TestFind_EveryOperation(t *testing.T) {
	for _, o := range platform.Operations() {
		path := strings.NewReplacer("{use}", "multiUse", "{", "", "}", "").Replace(o.Path)
		for _, variant := range []string{path, path + "/", strings.ReplaceAll(path, "s", "%73")} {
			found := all.Find(o.Method, variant)
			if found == nil || found.err != nil || found.Operation.Name != o.Name || found.Operation.Path != o.Path {
				t.Errorf("%s %s: %v", o.Method, variant, found)
				continue
			}
			for name, value := range found.Values {
				if value != name && value != "multiUse" {
					t.Errorf("%s: {%s} is %q", variant, name, value)
				}
			}
		}
	}
}

func TestRules_BelongToOperations(t *testing.T) {
	named := map[string]bool{}
	for _, o := range operations(platform.New(nil, nil)) {
		named[o.Name] = true
		if o.may == nil {
			t.Errorf("nobody says who can %s", o.Name)
		}
	}
	for name := range rules {
		if !named[name] {
			t.Errorf("there is no operation %s", name)
		}
	}
}

func TestFind_UnknownPath(t *testing.T) {
	for _, path := range []string{
		"/api", "/api/", "/api//packages", "/api/packages//", "/api/packages//p", "/api/packages/p//", "/api/packages/p//roles",
		"/api/packages/.", "/api/packages/..", "/api/packages/%2e%2e", "/api/packages/%2E", "/api/packages/p/documents/..%2fzip",
		"/api/packages/p%2Froles", "/api/packages/p%00", "/api/packages/p%zz", "/api/packages/p%", "/api/packages/p%252e",
		"/api/packages/p;x=1", "/api/packages/p\\roles", "/api/packages/%C3%A9", "/api/packages/" + strings.Repeat("a", 256),
		"/api/packages/p/documents/signed_documents", "/api/packages/p/documents/signConfirm", "/api/packages/p/documents/approvals",
		"/api/packages/p/documents/localize-consent", "/api/packages/p/attachment/verifications",
		"/api/packages/p/documents/sign%43onfirm", "/api/packages/p/documents/zip/pdf", "/api/packages/p/documents/visibility/original",
		"/api/packages/p/bulk_send", "/api/packages/p/roles/r/verification", "/api/packages/p/documents/d/layout",
		"/api/authenticationTokens", "/api/authenticationTokens/user", "/api/authenticationTokens/sender", "/api/authenticationTokens/signer",
		"/api/authenticationTokens/signer/other", "/api/authenticationTokens/signer/singleuse", "/api/sessions", "/api/callback",
		"/api/account/senders", "/api/user/customfields", "/API/packages", "/api/Packages", "/api/packages/p/Roles", "/api/packages/../account",
	} {
		if found := all.Find("GET", path); found != nil {
			t.Errorf("%s: %v", path, found)
		}
	}
}

func TestFind_WrongMethod(t *testing.T) {
	for at, allowed := range map[string]string{
		"PATCH /api/packages":                           "GET HEAD POST",
		"DELETE /api/packages":                          "GET HEAD POST",
		"PUT /api/packages/p/clone":                     "POST",
		"DELETE /api/packages/p/documents/zip":          "GET HEAD",
		"PUT /api/packages/p/documents/visibility":      "GET HEAD POST",
		"POST /api/packages/p/roles/r/signingUrl":       "GET HEAD",
		"GET /api/authenticationTokens/signer/multiUse": "POST",
	} {
		method, path, _ := strings.Cut(at, " ")
		found := all.Find(method, path)
		if found == nil || !fault.Is(found.err, fault.RequestMethod) || strings.Join(found.methods, " ") != allowed {
			t.Errorf("%s: %v", at, found)
		}
	}
	if found := all.Find("HEAD", "/api/packages/p/documents/zip"); found == nil || found.err != nil || found.Operation.Name != "getDocumentsZip" {
		t.Errorf("HEAD: %v", found)
	}
}
