package conformance

import (
	"net/http"
	"strings"
	"testing"
)

// SigningEnv is what the cases need to know of a platform for electronic signing.
type SigningEnv struct {
	// URL is the address of the platform, without /api; Authorization what its
	// callers show, such as "Basic <key>".
	URL, Authorization string
	// Signer is an e-mail address that may be invited.
	Signer string
	// CustomFields says that custom fields are enabled for the account.
	CustomFields bool
}

// signingContract is what a case of signing gets.
type signingContract struct {
	SigningEnv
	http *http.Client
}

type signingCase struct {
	name string
	run  func(*testing.T, signingContract)
}

// Signing runs the contract of the signing API: parts 2 to 4.2 of the
// specification, and the signing facts. The cases delete the packages and custom
// fields that they make.
func Signing(t *testing.T, client *http.Client, env SigningEnv) {
	cases := []signingCase{
		{"a package lives", packageLives},
		{"a package has every member that SDKs read", packageMembers},
		{"an unknown package", unknownPackage},
		{"roles come and go", roles},
		{"a role takes its approvals with it", roleWithApprovals},
		{"parts of an upload come in any order", uploads},
		{"documents come and go", documents},
		{"the list begins with the newest", listing},
		{"a status that cannot be", impossibleStatus},
		{"a signer signs", signerSigns},
		{"a package is made of a template", packageOfTemplate},
		{"conditions are replaced", conditions},
		{"reminders change after sending", remindersOfSent},
		{"a document that is sent is not the one that was uploaded", downloads},
		{"a signing URL leads to a whole address", signingURLLeads},
	}
	if env.CustomFields {
		cases = append(cases, signingCase{"a custom field is overwritten", customFields})
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) { one.run(t, signingContract{env, client}) })
	}
}

// role is a role of the cases' signer.
func (c signingContract) role(id string) members {
	return members{"id": id, "type": "SIGNER", "signers": []members{{"email": strings.ToUpper(c.Signer), "firstName": "Ada", "lastName": "Lovelace"}}}
}

func packageLives(t *testing.T, c signingContract) {
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

// neverNull are the members of a package that must not be null (signing facts, 9).
var neverNull = []string{
	"autocomplete", "created", "updated", "description", "documents", "emailMessage", "messages", "roles", "sender",
	"status", "type", "visibility", "trashed",
}

func packageMembers(t *testing.T, c signingContract) {
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
	want(t, signer, "email", strings.ToLower(c.Signer))
	want(t, signer, "signerType", "EXTERNAL_SIGNER")
	want(t, at(signer, "auth"), "scheme", "NONE")
	if methods, _ := at(signer, "notificationMethods")["primary"].([]any); len(methods) != 1 || methods[0] != "EMAIL" {
		t.Errorf("notified by %v", methods)
	}
}

func unknownPackage(t *testing.T, c signingContract) {
	for _, path := range []string{"", "/roles", "/signingStatus", "/fieldSummary", "/documents/x", "/audit"} {
		c.send(t, http.MethodGet, packages+"/AAAAAAAAAAAAAAAAAAAAAAAAAAA="+path, nil).wantError(t, http.StatusNotFound)
	}
}

func listing(t *testing.T, c signingContract) {
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
