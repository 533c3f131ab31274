package conformance

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/payload"
)

// SigningEnv describes a platform for electronic signing to the cases.
type SigningEnv struct {
	// URL is the address of the platform, without /api.
	URL string
	// Authorize returns the credential, such as "Basic <key>". given is a token that shall
	// be replaced, or "".
	Authorize func(ctx context.Context, given string) (string, error)
	// Renewable says that the credential is a token that can be replaced.
	Renewable bool
	// Paths replaces the operations' paths.
	Paths config.Paths
	// Signer is an e-mail address that may be invited. Empty leaves out all cases.
	Signer string
	// Fill fills the account with as many packages as a page of the list has.
	Fill bool
}

// signingContract is the input of a case of signing.
type signingContract struct {
	SigningEnv
	http *http.Client
}

// Signing runs the contract of the signing API: parts 2 to 4.2 of the specification, and
// the assumptions in docs/platform.md. The cases delete the packages and custom fields
// that they create. It calls tell with each result.
func Signing(ctx context.Context, client *http.Client, env SigningEnv, tell func(Result)) {
	cases := slices.Concat(signingFacts(env), []testCase[signingContract]{
		{name: "a package lives", fact: "S1, S2", run: packageLives},
		{name: "a package has every member that SDKs read", fact: "S4, S14", run: packageMembers},
		{name: "an unknown package", run: unknownPackage},
		{name: "roles come and go", fact: "S7", run: roles},
		{name: "a role takes its approvals with it", fact: "S7", run: roleWithApprovals},
		{name: "parts of an upload come in any order", fact: "S3", run: uploads},
		{name: "documents come and go", fact: "S8", run: documents},
		{name: "the list begins with the newest", run: listing},
		{name: "a status that cannot be", fact: "S6", run: impossibleStatus},
		{name: "a signer signs", fact: "S6, S21", run: signerSigns},
		{name: "a package is made of a template", fact: "S17", run: packageOfTemplate},
		{name: "conditions are replaced", fact: "S8", run: conditions},
		{name: "reminders change after sending", fact: "S16", run: remindersOfSent},
		{name: "a document that is sent is not the one that was uploaded", fact: "S8", run: downloads},
		{name: "a signing URL leads to a whole address", fact: "S10", run: signingURLLeads},
		{name: "a custom field is overwritten", fact: "S11", run: customFields},
	})
	runAll(ctx, "signing", signingContract{env, client}, unless(env.Signer == "", "no signer is named", cases), nil, tell)
}

// role returns a role of the cases' signer.
func (c signingContract) role(id string) members {
	return members{"id": id, "type": "SIGNER", "signers": []members{{"email": otherwise(c.Signer), "firstName": "Ada", "lastName": "Lovelace"}}}
}

// otherwise spells an address otherwise: a to z as capitals, as payload.FoldAddress lowers them.
func otherwise(address string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, address)
}

func packageLives(t *T, c signingContract) {
	path := c.create(t, members{"name": "Conformance"})
	p := c.get(t, path)
	want(t, p, "name", "Conformance")
	want(t, p, "status", "DRAFT")
	want(t, p, "type", "PACKAGE")
	c.send(t, http.MethodPut, path, members{"description": "changed"}).wantEmpty(t)
	c.send(t, http.MethodPost, path, members{"trashed": true}).wantEmpty(t)
	p = c.get(t, path)
	want(t, p, "name", "Conformance")
	want(t, p, "description", "changed")
	want(t, p, "trashed", true)
	want(t, c.get(t, path+"/signingStatus"), "status", "DELETED")
	c.send(t, http.MethodDelete, path, nil).wantEmpty(t)
	c.send(t, http.MethodGet, path, nil).wantError(t, http.StatusNotFound)
}

// neverNull are the members of a package that must not be null (docs/platform.md S14).
var neverNull = []string{
	"autocomplete", "created", "updated", "description", "documents", "emailMessage", "messages", "roles", "sender",
	"status", "type", "visibility", "trashed",
}

func packageMembers(t *T, c signingContract) {
	path := c.create(t, members{"name": "Conformance", "roles": []members{c.role("signer1")}, "data": members{"sdk": "x"}})
	p := c.get(t, path)
	for _, name := range neverNull {
		if value, there := p[name]; there && value == nil {
			t.Errorf("%s is null", name)
		}
	}
	want(t, at(p, "data"), "sdk", "x")
	want(t, at(p, "data"), "origin", "api")
	for _, name := range []string{"created", "updated"} {
		if date, _ := p[name].(string); !strings.HasSuffix(date, "Z") {
			t.Errorf("%s is %v, which Java takes for another time", name, p[name])
		}
	}
	if consent := at(p, "documents", "0"); consent["id"] != "default-consent" {
		t.Errorf("the first document is %v", consent["id"])
	}
	signer := at(c.get(t, path+"/roles/signer1"), "signers", "0")
	want(t, signer, "email", payload.FoldAddress(c.Signer))
	want(t, signer, "signerType", "EXTERNAL_SIGNER")
	want(t, at(signer, "auth"), "scheme", "NONE")
	if methods, _ := at(signer, "notificationMethods")["primary"].([]any); len(methods) != 1 || methods[0] != "EMAIL" {
		t.Errorf("notified by %v", methods)
	}
}

func unknownPackage(t *T, c signingContract) {
	for _, path := range []string{"", "/roles", "/signingStatus", "/fieldSummary", "/documents/x", "/audit"} {
		c.send(t, http.MethodGet, packages+"/AAAAAAAAAAAAAAAAAAAAAAAAAAA="+path, nil).wantError(t, http.StatusNotFound)
	}
}

func listing(t *T, c signingContract) {
	older, newer := c.create(t, members{"name": "Older"}), c.create(t, members{"name": "Newer"})
	both := c.get(t, packages+"?from=1&to=2")
	one := c.get(t, packages+"?from=2&to=2")
	if packages+"/"+id(at(both, "results", "0")) != newer || packages+"/"+id(at(both, "results", "1")) != older || packages+"/"+id(at(one, "results", "0")) != older {
		t.Errorf("1 to 2 are %s and %s, 2 is %s, not %s and %s", id(at(both, "results", "0")), id(at(both, "results", "1")), id(at(one, "results", "0")), newer, older)
	}
	if count, _ := both["count"].(float64); count < 2 {
		t.Errorf("count is %v", both["count"])
	}
	only := at(c.get(t, packages+"?from=1&to=1&fields=id"), "results", "0")
	if len(only) != 1 || id(only) == "" {
		t.Errorf("fields=id has %v", only)
	}
}
