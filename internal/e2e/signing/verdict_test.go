// Package signing_test relays the platform's signing API to its users, and shows the packages on
// pages without scripts.
package signing_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// verdicts are the refusal keys for an operator, the owner, a signer and an outsider; ""
// if they may.
type verdicts struct{ operator, owner, signer, outsider string }

const (
	notFound    = "request.not-found"
	readOnly    = "signing.read-only"
	notYourRole = "signing.not-your-role"
	tooEarly    = "signing.state"
)

var (
	readable   = verdicts{outsider: notFound}
	changeable = verdicts{signer: readOnly, outsider: notFound}
	finished   = verdicts{signer: tooEarly, outsider: notFound}
	ofSigners  = verdicts{operator: notYourRole, owner: notYourRole, outsider: notFound}
	ofAll      = verdicts{}
	theirOwn   = verdicts{signer: notYourRole, outsider: notFound}
	ofOffice   = verdicts{owner: "signing.operators-only", signer: "signing.operators-only", outsider: "signing.operators-only"}
)

// table lists who can do what with a sent package, by the operation's name, or by its
// method and path if operations of one name differ.
var table = map[string]verdicts{
	"createPackage": ofAll, "listPackages": ofAll, "clonePackage": changeable,
	"getPackage": readable, "listRoles": readable, "getRole": readable, "getDocument": readable,
	"getDocumentPdf": readable, "getDocumentsZip": finished,
	"getDocumentOriginal": changeable, "getVisibility": changeable, "getReminders": changeable, "getApprovals": changeable, "getField": changeable,
	"getSigningStatus": readable, "getFieldSummary": readable,
	"getAudit": finished, "getEvidenceSummary": finished,
	"updatePackage": changeable, "deletePackage": changeable, "notifyPackage": changeable, "setReminders": changeable, "deleteReminders": changeable,
	"createRole": changeable, "updateRoles": changeable, "updateRole": changeable, "deleteRole": changeable,
	"notifyRole": changeable, "smsRole": changeable, "unlockRole": changeable,
	"createDocuments": changeable, "updateDocuments": changeable, "deleteDocuments": changeable,
	"updateDocument": changeable, "deleteDocument": changeable, "setVisibility": changeable,
	"createApproval": changeable, "updateApprovals": changeable, "updateApproval": changeable, "deleteApproval": changeable,
	"createField": changeable, "updateField": changeable, "deleteField": changeable, "updateConditionalField": changeable,
	"getSupport": readable, "getSignerApprovals": readable,
	"getAttachment": readable, "attach": ofSigners, "detach": ofSigners,
	"GET /api/packages/{package}/attachment/zip": theirOwn, "GET /api/packages/{package}/attachment/zip/{role}": readable,
	"getSigningUrl": ofSigners, "createSignerToken": ofSigners,
	"listCustomFields": ofAll, "getCustomField": ofAll, "createCustomField": ofOffice, "deleteCustomField": ofOffice,
}

func TestOperations_Permissions(t *testing.T) {
	app := e2etest.Boot(t, "RATE_LOOKUP=off")
	owner, signer := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	e2etest.Manage(t, app, "PUT", "/users/stella@sandbox", map[string]any{"passKey": "Sandbox-1!"})
	outsider, operator := e2etest.Program(t, app).SignedIn("stella@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	var theirs, mine subject
	operations := platform.Operations()
	slices.SortStableFunc(operations, func(a, b upstream.Operation) int { return strings.Compare(a.Method, b.Method) })
	for _, o := range operations {
		want, listed := table[o.Method+" "+o.Path]
		if !listed {
			want, listed = table[o.Name]
		}
		if !listed {
			t.Errorf("nobody says who can %s", o.Name)
		}
		// A successful call may delete the object, so each of the two clients has its
		// own; what is only read serves the next operation.
		if o.Method != http.MethodGet || theirs.values == nil {
			theirs, mine = attachedTo(owner, signer), attachedTo(owner, signer)
		}
		for _, who := range []struct {
			name   string
			client *e2etest.Client
			of     subject
			want   string
		}{
			{"outsider", outsider, mine, want.outsider}, {"signer", signer, mine, want.signer},
			{"owner", owner, mine, want.owner}, {"operator", operator, theirs, want.operator},
		} {
			path, body := who.of.call(o.Method, o.Path)
			if got := refusal(ask(who.client, o, path, body)); got != who.want {
				t.Errorf("%s, %s %s (%s): %q, want %q", who.name, o.Method, path, o.Name, got, who.want)
			}
		}
		path, body := mine.call(o.Method, o.Path)
		e2etest.Program(t, app).Send(o.Method, path, body).Refused(http.StatusUnauthorized, "session.required")
	}
}

// subject is a package with the values for paths.
type subject struct{ values map[string]string }

// sent returns a package of c's that has been sent to Bob.
func sent(c *e2etest.Client) subject {
	c.T.Helper()
	payload := draft("Contract", "bob@sandbox.example")
	payload["roles"].([]any)[0].(map[string]any)["attachmentRequirements"] = []object{{"id": "passport", "name": "Passport", "required": true}}
	id := c.Send("POST", "/api/packages", payload).Want(http.StatusOK).Text("id")
	c.Send("PUT", "/api/packages/"+id, map[string]any{"status": "SENT"}).Want(http.StatusOK)
	var pkg struct {
		Documents []struct {
			ID        string
			Approvals []struct {
				ID     string
				Fields []struct{ ID string }
			}
		}
	}
	whole := c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK)
	if err := json.Unmarshal(whole.Body, &pkg, json.MatchCaseInsensitiveNames(true)); err != nil {
		c.T.Fatal(err)
	}
	m := subject{map[string]string{"package": id, "role": "signer1", "document": "contract", "customField": "office", "use": "multiUse",
		"signer": "bob@sandbox.example", "attachment": "passport", "file": "1"}}
	for _, d := range pkg.Documents {
		if d.ID == "contract" {
			m.values["approval"], m.values["field"] = d.Approvals[0].ID, d.Approvals[0].Fields[0].ID
		}
	}
	return m
}

// attachedTo returns a package of owner's to which its signer has attached a file.
func attachedTo(owner, signer *e2etest.Client) subject {
	m := sent(owner)
	upload(signer, packages+"/"+m.values["package"]+"/attachment/passport", form(attached("scan.png", "scan"))).Want(http.StatusOK)
	return m
}

// call returns the path of an operation on it, and a body if it needs one.
func (m subject) call(method, path string) (string, any) {
	for name, value := range m.values {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	switch {
	case strings.Contains(path, "uthenticationTokens"):
		return path, map[string]any{"packageId": m.values["package"], "signerId": "bob@sandbox.example"}
	case method == http.MethodPost || method == http.MethodPut:
		return path, map[string]any{"name": "Another", "email": "bob@sandbox.example"}
	}
	return path, nil
}

// ask returns the answer to a call, which carries a file if needed.
func ask(c *e2etest.Client, o upstream.Operation, path string, body any) e2etest.Reply {
	c.T.Helper()
	if o.Name == "attach" {
		return upload(c, path, form(attached("scan.png", "another scan")))
	}
	return c.Send(o.Method, path, body)
}

// refusal returns the key of an answer that denies the right to call, or "", even for
// other failures.
func refusal(r e2etest.Reply) string {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return r.Text("key")
	case http.StatusConflict:
		if key := r.Text("key"); key == tooEarly && strings.HasPrefix(r.What, "GET") {
			return key
		}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable:
		return r.Text("key")
	}
	return ""
}
