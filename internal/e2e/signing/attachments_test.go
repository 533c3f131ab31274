package signing_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// asking creates a package sent to Bob and Frank, who both have to attach what is called a
// passport, and something of their own; frank is the id of Frank's passport.
func asking(c *e2etest.Client, frank string) (path string) {
	c.T.Helper()
	payload := draft("Asking", bobMail)
	payload["roles"] = []object{recipient("bob", bobMail), recipient("frank", frankMail)}
	payload["documents"].([]any)[0].(object)["approvals"] = []any{}
	for i, role := range payload["roles"].([]object) {
		role["attachmentRequirements"] = []object{{"id": []string{"passport", frank}[i], "name": "passport"}, {"id": "", "name": []string{"Driver's licence / front", "Bill %2F ü?"}[i]}}
	}
	path = packages + "/" + create(c, payload)
	c.Send("PUT", path, object{"status": "SENT"}).Want(http.StatusOK)
	return path
}

func attachment(path, name string) string { return path + "/attachment/" + url.PathEscape(name) }

func TestAttachments_EachSignersApart(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_LOOKUP=off", "MAX_UPLOAD=1MiB")
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	e2etest.Manage(t, app, "PUT", "/users/frank@sandbox", object{"status": "active", "passKey": "Sandbox-1!"})
	frank, carol := e2etest.Program(t, app).SignedIn("frank@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	path := asking(alice, "passport-2")
	const licence, bill = "Driver's licence / front", "Bill %2F ü?"

	t.Run("each signer's are apart, whatever they are called", func(t *testing.T) {
		for c, name := range map[*e2etest.Client]string{bob: "passport", frank: "passport"} {
			upload(c, attachment(path, name), form(attached("scan.png", "of "+fmt.Sprint(c == bob)))).Want(http.StatusOK)
		}
		upload(bob, attachment(path, licence), form(payload(""), attached("a.txt", "front"), attached("b.html", "<p>"))).Want(http.StatusOK)
		upload(frank, attachment(path, bill), form(attached("bill", "bill"))).Want(http.StatusOK)
		for c, want := range map[*e2etest.Client]string{bob: "of true", frank: "of false"} {
			if r := c.Send("GET", attachment(path, "passport"), nil).Want(http.StatusOK); string(r.Body) != want {
				t.Errorf("%q, want %q", r.Body, want)
			}
		}
		r := alice.Send("GET", attachment(path, bill)+"/file/1", nil).Want(http.StatusOK)
		if string(r.Body) != "bill" || r.Header.Get("Content-Disposition") != "attachment; filename*=UTF-8''bill" {
			t.Errorf("%s as %s", r.Body, r.Header.Get("Content-Disposition"))
		}
		if names := namesIn(t, bob.Send("GET", attachment(path, licence), nil).Want(http.StatusOK).Body); names != "a.txt b.html" {
			t.Errorf("of several an archive: %s", names)
		}
	})
	t.Run("what is another's is not there", func(t *testing.T) {
		for name, c := range map[string]*e2etest.Client{licence: frank, bill: bob, "nothing": bob} {
			for _, rest := range []string{"", "/1", "/file/1"} {
				c.Send("GET", attachment(path, name)+rest, nil).Refused(http.StatusNotFound, notFound)
			}
		}
		bob.Send("GET", path+"/attachment/zip/frank", nil).Refused(http.StatusNotFound, notFound)
		bob.Send("GET", path+"/attachment/zip", nil).Refused(http.StatusForbidden, notYourRole)
		for c, want := range map[*e2etest.Client]string{alice: "a.txt b.html bill scan (2).png scan.png", carol: "a.txt b.html bill scan (2).png scan.png"} {
			if names := namesIn(t, c.Send("GET", path+"/attachment/zip", nil).Want(http.StatusOK).Body); names != want {
				t.Errorf("the archive of all has %s", names)
			}
		}
		if names := namesIn(t, frank.Send("GET", path+"/attachment/zip/frank", nil).Want(http.StatusOK).Body); names != "bill scan.png" {
			t.Errorf("Frank's archive has %s", names)
		}
	})
	t.Run("signers alone attach", func(t *testing.T) {
		file := form(attached("x", "x"))
		for _, c := range []*e2etest.Client{alice, carol, frank} {
			upload(c, attachment(path, licence), file).Refused(http.StatusForbidden, notYourRole)
			c.Send("DELETE", attachment(path, licence)+"/1", nil).Refused(http.StatusForbidden, notYourRole)
			c.Send("DELETE", attachment(path, licence)+"/file/1", nil).Refused(http.StatusForbidden, notYourRole)
		}
		bob.Send("DELETE", attachment(path, licence)+"/1?role=frank", nil).Want(http.StatusOK)
		if got := sentAs(t, app, "detach"); got != "" {
			t.Errorf("the platform was told %q", got)
		}
		bob.Send("DELETE", attachment(path, licence)+"/file/2", nil).Want(http.StatusOK)
		bob.Send("GET", attachment(path, licence), nil).Refused(http.StatusNotFound, notFound)
	})
	t.Run("an id of two roles says nothing", func(t *testing.T) {
		shared := asking(alice, "passport")
		for _, c := range []*e2etest.Client{bob, frank} {
			upload(c, attachment(shared, "passport"), form(attached("x", "x"))).Refused(http.StatusConflict, tooEarly)
		}
		for _, c := range []*e2etest.Client{alice, carol, bob, frank} {
			c.Send("GET", attachment(shared, "passport")+"?role=bob", nil).Refused(http.StatusConflict, tooEarly)
		}
		upload(bob, attachment(shared, licence), form(attached("x", "licence"))).Want(http.StatusOK)
		if r := alice.Send("GET", attachment(shared, licence), nil).Want(http.StatusOK); string(r.Body) != "licence" {
			t.Errorf("beside it there is %s", r.Body)
		}
	})
	t.Run("what is no attachment", func(t *testing.T) {
		if r := upload(bob, attachment(path, licence), form(payload(""))).Refused(http.StatusBadRequest, "request.invalid"); e2etest.Pointers(t, r) != "/file" {
			t.Errorf("%s", r.Body)
		}
		upload(bob, attachment(path, licence), form(part{`name="x"`, ""})).Refused(http.StatusBadRequest, "request.malformed")
		upload(bob, attachment(path, licence), form(attached("a", strings.Repeat("x", 1<<20)))).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
		bob.Send("POST", attachment(path, licence), object{}).Refused(http.StatusUnsupportedMediaType, "request.media-type")
		bob.Send("GET", attachment(path, licence), nil).Refused(http.StatusNotFound, notFound)
	})
	t.Run("while it is sent", func(t *testing.T) {
		alice.Send("PUT", path, object{"status": "DECLINED", "messages": []object{{"content": "no"}}}).Want(http.StatusOK)
		upload(bob, attachment(path, "passport"), form(attached("x", "x"))).Refused(http.StatusConflict, tooEarly)
		bob.Send("DELETE", attachment(path, "passport")+"/1", nil).Refused(http.StatusConflict, tooEarly)
		bob.Send("GET", attachment(path, "passport"), nil).Want(http.StatusOK)
	})
}

// A signer sees their own approvals alone, in documents that they see.
func approvalsOfASigner(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	path := packages + "/" + twoSigners(alice)
	for _, name := range []string{"bob", bobMail, strings.ToUpper(bobMail)} {
		r := bob.Send("GET", path+"/signers/"+name+"/approvals", nil).Want(http.StatusOK)
		if text := string(r.Body); !strings.Contains(text, "t-open") || strings.Contains(text, "hidden") {
			t.Errorf("%s: %s", name, text)
		}
		bob.Send("GET", path+"/documents/open/signers/"+name+"/approvals", nil).Want(http.StatusOK)
		bob.Send("GET", path+"/documents/hidden/signers/"+name+"/approvals", nil).Refused(http.StatusNotFound, notFound)
	}
	for _, other := range []string{"frank", frankMail, "nobody"} {
		bob.Send("GET", path+"/signers/"+other+"/approvals", nil).Refused(http.StatusForbidden, notYourRole)
	}
	if r := alice.Send("GET", path+"/signers/frank/approvals", nil).Want(http.StatusOK); !strings.Contains(string(r.Body), "t-hidden") {
		t.Errorf("%s", r.Body)
	}
	for _, who := range []*e2etest.Client{alice, bob} {
		if r := who.Send("GET", "/api/package_information/"+strings.TrimPrefix(path, packages+"/")+"/support_information", nil).Want(http.StatusOK); r.Text("email") == "" {
			t.Errorf("%s", r.Body)
		}
	}
	token := object{"packageId": strings.TrimPrefix(path, packages+"/"), "signerId": bobMail}
	if bob.Send("POST", "/api/signerAuthenticationTokens", token).Want(http.StatusOK).Text("value") == "" {
		t.Error("there is no token")
	}
	alice.Send("POST", "/api/signerAuthenticationTokens", token).Refused(http.StatusForbidden, notYourRole)
	conditional := path + "/documents/open/approvals/x/fields/t-open/conditionalFields"
	alice.Send("PUT", conditional, object{"subtype": "NONSENSE"}).Refused(http.StatusBadRequest, "request.invalid")
	bob.Send("PUT", conditional, object{}).Refused(http.StatusForbidden, readOnly)
}
