package signing_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

const (
	bobMail   = "bob@sandbox.example"
	frankMail = "frank@sandbox.example"
)

// twoSigners creates a package sent to Bob and to Frank, with a document for each and one
// that Bob may not see.
func twoSigners(c *e2etest.Client) string {
	c.T.Helper()
	paper := base64.StdEncoding.EncodeToString([]byte(e2etest.Blank))
	document := func(id, role string) object {
		return object{"id": id, "name": id, "base64Content": paper, "approvals": []object{{"role": role, "fields": []object{
			{"id": "s-" + id, "type": "SIGNATURE", "subtype": "FULLNAME", "top": 10, "left": 10, "width": 100, "height": 20},
			{"id": "t-" + id, "type": "INPUT", "subtype": "TEXTFIELD", "name": "t-" + id, "value": "value of " + id, "top": 40, "left": 10, "width": 100, "height": 20},
		}}}}
	}
	id := create(c, object{
		"name": "Two", "roles": []object{recipient("bob", bobMail), recipient("frank", frankMail)},
		"documents": []object{document("open", "bob"), document("hidden", "frank")},
	})
	c.Send("POST", packages+"/"+id+"/documents/visibility", object{"configurations": []object{{"documentUid": "hidden", "roleUids": []string{"frank"}}}}).Want(http.StatusOK)
	c.Send("PUT", packages+"/"+id, object{"status": "SENT"}).Want(http.StatusOK)
	return id
}

// sentAs returns the query of the last call of operation, as the platform got it.
func sentAs(t *testing.T, app *e2etest.App, operation string) string {
	t.Helper()
	var journal struct {
		Entries []struct{ Operation, Query, Credential string }
	}
	if err := json.Unmarshal(e2etest.Manage(t, app, "GET", "/journal", nil).Body, &journal); err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(journal.Entries) {
		if e.Operation == operation {
			return e.Query
		}
	}
	t.Errorf("the platform was not asked for %s", operation)
	return ""
}

func TestSigning_Guards(t *testing.T) {
	app := e2etest.Boot(t, "RATE_LOOKUP=off", "SIGNING_SITE_HOSTS=sign.tenant.internal,other.tenant.internal:8443")
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	carol := e2etest.Program(t, app).SignedIn("carol@sandbox")
	id := twoSigners(alice)
	signersOwnPart(t, app, bob, id)
	withheld(t, app, alice, bob, carol, id)
	signingPages(t, app, bob, id)
	files(t, bob, id)
	customFields(t, app, alice, carol)
	bodies(alice)
	refusals(t, app, alice, id)
	allSigned(t, app, alice, bob, id)
}

func signersOwnPart(t *testing.T, app *e2etest.App, bob *e2etest.Client, id string) {
	path := packages + "/" + id
	for _, hidden := range []string{"/documents/hidden", "/documents/hidden/pdf", "/signingStatus?document=hidden"} {
		bob.Send("GET", path+hidden, nil).Refused(http.StatusNotFound, notFound)
	}
	for _, other := range []string{"frank", frankMail, strings.ToUpper(frankMail), "nobody"} {
		for _, of := range []string{"/signingStatus?signer=", "/fieldSummary?signer=", "/signingStatus?signer=bob&signer=", "/signingStatus?Signer="} {
			bob.Send("GET", path+of+other, nil).Refused(http.StatusForbidden, notYourRole)
		}
	}
	for _, own := range []string{"", "?signer=", "?signer=bob", "?document=&signer=" + bobMail} {
		bob.Send("GET", path+"/signingStatus"+own, nil).Want(http.StatusOK)
		if got := sentAs(t, app, "getSigningStatus"); !strings.Contains(got, "signer=bob") {
			t.Errorf("the platform was asked for the status of %q", got)
		}
	}
	signersQuery(t, app, bob, id)
	summary := string(bob.Send("GET", path+"/fieldSummary", nil).Want(http.StatusOK).Body)
	if !strings.Contains(summary, "value of open") || strings.Contains(summary, "value of hidden") {
		t.Errorf("the summary of a signer: %s", summary)
	}
	whole := string(bob.Send("GET", path, nil).Want(http.StatusOK).Body)
	if strings.Contains(whole, "hidden") || strings.Contains(whole, frankMail) || strings.Contains(whole, "+49301234567") && strings.Count(whole, "+49301234567") > 1 {
		t.Errorf("the package as a signer reads it: %s", whole)
	}
}

// signersQuery tries a signer's query in other spellings: the platform is called with the
// signer's own, once, or not at all.
func signersQuery(t *testing.T, app *e2etest.App, bob *e2etest.Client, id string) {
	operations := map[string]string{"/signingStatus": "getSigningStatus", "/fieldSummary": "getFieldSummary"}
	for call, operation := range operations {
		for _, query := range []string{
			"", "?signer=", "?signer", "?signer=bob", "?signer=BOB", "?Signer=bob", "?%73igner=bob", "?SIGNER=&signer=bob", "?signer=&signer=bob",
			"?signer=bob&signer=", "?signer=bob&signer=bob", "?x=y&signer=bob&extensions=alerts", "?signers=frank&signer%20=frank", "?signer%00=frank",
		} {
			bob.Send("GET", packages+"/"+id+call+query, nil).Want(http.StatusOK)
			if got := sentAs(t, app, operation); got != "signer=bob" {
				t.Errorf("%s%s: the platform is asked for %q", call, query, got)
			}
		}
		for _, query := range []string{
			"?signer=frank", "?Signer=frank", "?SIGNER=frank", "?%73igner=frank", "?%53IGNER=frank", "?signer=%66rank", "?signer=&signer=frank", "?signer=frank&signer=bob",
			"?signer=bob&Signer=frank", "?signer=%20", "?signer=bob%20", "?signer=bob%2Cfrank", "?signer=bob%26signer%3Dfrank", "?signer=*", "?x&signer=frank&",
		} {
			e2etest.Untouched(t, app, func() {
				bob.Send("GET", packages+"/"+id+call+query, nil).Refused(http.StatusForbidden, notYourRole)
			}, operation)
		}
		for _, query := range []string{"?signer=bob;signer=frank", "?signer=bob%3", "?;signer=frank"} {
			bob.Send("GET", packages+"/"+id+call+query, nil).Refused(http.StatusBadRequest, "request.malformed")
		}
	}
	bob.Send("GET", packages+"/"+id+"/signingStatus?document=open&Document=&signer="+bobMail+"&document=open", nil).Want(http.StatusOK)
	if got := sentAs(t, app, "getSigningStatus"); got != "document=open&signer=bob%40sandbox.example" {
		t.Errorf("with a document the platform is asked for %q", got)
	}
	bob.Send("GET", packages+"/"+id+"/signingStatus?document=open&Document=hidden", nil).Refused(http.StatusNotFound, notFound)
	bob.Send("GET", packages+"/"+id+"/documents/open/pdf?Flatten=true&flatten=true&inline=yes&signer=frank&x=y", nil).Want(http.StatusOK)
	if got := sentAs(t, app, "getDocumentPdf"); got != "flatten=true" {
		t.Errorf("for a file the platform is asked with %q", got)
	}
}

func withheld(t *testing.T, app *e2etest.App, alice, bob, carol *e2etest.Client, id string) {
	path := packages + "/" + id
	const all = "?extensions=alerts&rawSignatureCapture=true&ExtensionS=alerts&%65xtensions=alerts"
	bob.Send("GET", path+all, nil).Want(http.StatusOK)
	if got := sentAs(t, app, "getPackage"); got != "" {
		t.Errorf("a signer asked the platform for %q", got)
	}
	alice.Send("GET", path+all, nil).Want(http.StatusOK)
	if got := sentAs(t, app, "getPackage"); "?"+got != all {
		t.Errorf("an owner asked the platform for %q", got)
	}
	const others = "?ownerEmail=bob@sandbox.example&ownerUserId=1"
	alice.Send("GET", path+"/roles"+others, nil).Want(http.StatusOK)
	if got := sentAs(t, app, "listRoles"); got != "" {
		t.Errorf("an owner asked for %q", got)
	}
	carol.Send("GET", path+"/roles"+others, nil).Want(http.StatusOK)
	if got := sentAs(t, app, "listRoles"); "?"+got != others {
		t.Errorf("an operator asked for %q", got)
	}
	for _, broken := range []string{"?a=%zz", "?%zz=1", "?a=1;extensions=alerts"} {
		bob.Send("GET", path+broken, nil).Refused(http.StatusBadRequest, "request.malformed")
	}
}

func signingPages(t *testing.T, app *e2etest.App, bob *e2etest.Client, id string) {
	const evil = "evil.internal"
	for url, status := range map[string]int{
		"https://sign.tenant.internal/sign/1": 200, "https://SIGN.tenant.internal:444/x": 200, "https://other.tenant.internal:8443/": 200,
		"https://other.tenant.internal/": 502, "https://" + evil: 502, "https://sign.tenant.internal@" + evil: 502, "javascript:alert(1)": 502,
		"//" + evil + "/": 502, "https://sign.tenant.internal." + evil: 502, "/sign/1": 502, "": 502, "https://" + evil + "#sign.tenant.internal": 502,
	} {
		body, err := json.Marshal(object{"url": url, "roleId": "bob", "packageId": id})
		if err != nil {
			t.Fatal(err)
		}
		e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "getSigningUrl", "status": 200, "body": json.RawMessage(body)})
		r := bob.Send("GET", packages+"/"+id+"/roles/bob/signingUrl", nil).Want(status)
		if strings.Contains(string(r.Body), evil) {
			t.Errorf("%s was handed on: %s", url, r.Body)
		}
	}
	bob.Send("GET", packages+"/"+id+"/roles/frank/signingUrl", nil).Refused(http.StatusForbidden, notYourRole)
}

func files(t *testing.T, bob *e2etest.Client, id string) {
	path := packages + "/" + id + "/documents/open/pdf"
	whole := bob.Send("GET", path, nil).Want(http.StatusOK)
	part := bob.Send("GET", path, nil, "Range", "bytes=0-3").Want(http.StatusPartialContent)
	if string(part.Body) != "%PDF" || part.Header.Get("Content-Range") == "" {
		t.Errorf("a part: %q of %q", part.Body, part.Header.Get("Content-Range"))
	}
	head := bob.Send("HEAD", path, nil).Want(http.StatusOK)
	if len(head.Body) != 0 || head.Header.Get("Content-Length") != fmt.Sprint(len(whole.Body)) {
		t.Errorf("HEAD: %d bytes, length %s", len(head.Body), head.Header.Get("Content-Length"))
	}
	if got := whole.Header.Get("Content-Disposition"); !strings.Contains(got, "filename*=UTF-8''") {
		t.Errorf("the file is called %q", got)
	}
}

func customFields(t *testing.T, app *e2etest.App, alice, carol *e2etest.Client) {
	const path = "/api/account/customfields"
	field := object{"id": "branch", "value": "Harbour", "translations": []object{{"language": "en", "name": "Branch"}}}
	carol.Send("POST", path, field).Want(http.StatusOK)
	for _, where := range []string{path, path + "/branch", path + "?from=0&to=-2"} {
		if r := alice.Send("GET", where, nil).Want(http.StatusOK); strings.Contains(string(r.Body), "Harbour") || !strings.Contains(string(r.Body), "branch") {
			t.Errorf("%s tells everybody %s", where, r.Body)
		}
		if r := carol.Send("GET", where, nil).Want(http.StatusOK); !strings.Contains(string(r.Body), "Harbour") {
			t.Errorf("%s tells an operator %s", where, r.Body)
		}
	}
	if r := alice.Send("GET", path+"/nowhere", nil).Want(http.StatusOK); len(r.Body) != 0 {
		t.Errorf("a field that is not there: %s", r.Body)
	}
	e2etest.Manage(t, app, "PUT", "/account", object{"customFields": false})
	alice.Send("GET", path, nil).Refused(http.StatusForbidden, "signing.custom-fields-off")
	carol.Send("POST", path, field).Refused(http.StatusForbidden, "signing.custom-fields-off")
	e2etest.Manage(t, app, "PUT", "/account", object{"customFields": true})
}

func bodies(alice *e2etest.Client) {
	path := packages + "/" + create(alice, draft("Bodies", frankMail))
	alice.Send("PUT", path, `{"description":"`+strings.Repeat("a", 1<<20)+`"}`).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
	alice.Send("PUT", path, `{}`, "Content-Type", "text/plain").Refused(http.StatusUnsupportedMediaType, "request.media-type")
	alice.Send("PUT", path, `{}`, "Content-Type", "application/json; charset=latin1").Refused(http.StatusUnsupportedMediaType, "request.media-type")
	alice.Send("PUT", path, `{"description":"a"}`, "Content-Type", "application/json; esl-api-version=11.68.0").Want(http.StatusOK)
	alice.Send("PUT", path, nil).Refused(http.StatusBadRequest, "request.malformed")
	alice.Send("PUT", path, `{"a":1,"a":2}`).Refused(http.StatusBadRequest, "request.malformed")
}

// refusals checks that a refusal of the platform is told in our words, with its key, and that what
// answers in the platform's place says nothing about a package.
func refusals(t *testing.T, app *e2etest.App, alice *e2etest.Client, id string) {
	for _, test := range []struct {
		fault      e2etest.Fault
		status     int
		key, shown string
	}{
		{e2etest.Fault{"status": 422, "body": object{"code": 422, "messageKey": "error.some.thing", "message": "raw words", "name": "Raw words"}}, 400, "signing.invalid", "error.some.thing"},
		{e2etest.Fault{"status": 403, "body": object{"code": 403, "messageKey": "<script>", "message": "raw words"}}, 409, "signing.refused", "error.countersign.signing.refused"},
		{e2etest.Fault{"status": 404, "body": object{"message": "no route"}}, 502, "platform.failed", "error.countersign.platform.failed"},
		{e2etest.Fault{"status": 503, "headers": object{"Retry-After": "7"}}, 503, "platform.unavailable", "error.countersign.platform.unavailable"},
	} {
		test.fault["operation"], test.fault["times"] = "listRoles", 0
		e2etest.Manage(t, app, "POST", "/faults", test.fault)
		r := alice.Send("GET", packages+"/"+id+"/roles", nil).Refused(test.status, test.key)
		e2etest.Manage(t, app, "DELETE", "/faults", nil)
		if code, _ := r.Member("code").(float64); r.Text("messageKey") != test.shown || int(code) != test.status || strings.Contains(strings.ToLower(string(r.Body)), "raw words") ||
			r.Text("message") != r.Text("detail") || r.Text("name") != r.Text("title") || test.status == 503 && r.Header.Get("Retry-After") != "7" {
			t.Errorf("%v: %v %s", test.fault, r.Header, r.Body)
		}
	}
	if got := list(alice, ""); !slices.Contains(got.ids(), id) {
		t.Errorf("the list has %v", got.ids())
	}
}

func allSigned(t *testing.T, app *e2etest.App, alice, bob *e2etest.Client, id string) {
	path := packages + "/" + id
	for _, early := range []string{"/audit", "/evidence/summary", "/documents/zip"} {
		bob.Send("GET", path+early, nil).Refused(http.StatusConflict, tooEarly)
	}
	e2etest.Manage(t, app, "PUT", "/users/frank@sandbox", object{"status": "active", "passKey": "Sandbox-1!"})
	frank := e2etest.Program(t, app).SignedIn("frank@sandbox")
	e2etest.Sign(t, app, bob, id)
	e2etest.Sign(t, app, frank, id)
	for _, now := range []string{"/audit", "/evidence/summary"} {
		bob.Send("GET", path+now, nil).Want(http.StatusOK)
	}
	for c, want := range map[*e2etest.Client][2]bool{alice: {true, true}, bob: {true, false}, frank: {true, true}} {
		names := namesIn(t, c.Send("GET", path+"/documents/zip", nil).Want(http.StatusOK).Body)
		if got := [2]bool{strings.Contains(names, "open"), strings.Contains(names, "hidden")}; got != want {
			t.Errorf("the archive has %s", names)
		}
	}
	if head := bob.Send("HEAD", path+"/documents/zip", nil).Want(http.StatusOK); len(head.Body) != 0 {
		t.Errorf("HEAD: %d bytes", len(head.Body))
	}
	for _, unconfirmed := range []string{"", "?confirm=", "?confirm=COMPLETED", "?confirm=1", "?Confirm=completed"} {
		alice.Send("DELETE", path+unconfirmed, nil).Refused(http.StatusConflict, tooEarly)
	}
	bob.Send("DELETE", path+"?confirm=completed", nil).Refused(http.StatusForbidden, readOnly)
	alice.Send("DELETE", path+"?confirm=completed", nil).Want(http.StatusOK)
	if got := sentAs(t, app, "deletePackage"); got != "" {
		t.Errorf("the platform was told %q", got)
	}
	bob.Send("GET", path, nil).Refused(http.StatusNotFound, notFound)
}

// namesIn returns the names of the files in an archive.
func namesIn(t *testing.T, archive []byte) string {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range reader.File {
		names[f.Name] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), " ")
}
