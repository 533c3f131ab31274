package signing_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// sentPackage sends a package with a document that Ada and then Bob have to sign.
func (c client) sentPackage(more object) string {
	c.t.Helper()
	field := object{"id": "f", "type": "INPUT", "subtype": "TEXTFIELD"}
	ada, bob := signerRole("ada", "ada@example.org"), signerRole("bob", "bob@example.org")
	ada["index"], bob["index"] = 1, 2
	payload := object{"name": "Loan", "status": "SENT", "roles": []object{bob, ada}, "documents": []object{
		{"id": "doc", "name": "Contract", "approvals": []object{{"role": "ada", "fields": []object{field}}, {"role": "bob"}, {"role": "bob", "optional": true}}},
	}}
	maps.Copy(payload, more)
	return c.packaged(payload, blankPDF)
}

// as returns a client with a signer's session and without the API key.
func (c client) as(path, signer string) client {
	c.t.Helper()
	body := object{"packageId": strings.TrimPrefix(path, "/api/packages/"), "signerId": signer, "value": ""}
	token := c.post("/api/authenticationTokens/signer/singleUse", body).ok()["value"].(string)
	c.key = ""
	c.session = c.get("/auth?signerAuthenticationToken=" + token).ok()["sessionToken"].(string)
	return c
}

var everything = object{"handdrawn": nil, "documents": []object{{"id": "doc"}, {"id": "default-consent"}}}

func TestSigning_InOrder(t *testing.T) {
	c := startWithKey(t, "k3y")
	path := c.sentPackage(nil)
	ada, bob := c.as(path, "ada"), c.as(path, "BOB@example.org")
	bob.post(path+"/documents/signed_documents", everything).refused(http.StatusForbidden, "error.forbidden.signer.notYourTurn")
	value := object{"id": "doc", "approvals": []object{{"fields": []object{{"id": "f", "value": "42"}}}}}
	ada.post(path+"/documents/signConfirm", value).empty()
	p := c.get(path).ok()
	same(t, "status", p["status"], "SENT")
	same(t, "value", at(t, p, "documents.1.approvals.0.fields.0.value"), "42")
	same(t, "signed", at(t, p, "documents.1.approvals.0.signed") != nil, true)
	same(t, "Ada's", c.get(path + "/signingStatus?signer=ada").ok()["status"], "SIGNING_COMPLETED")
	same(t, "Bob's", c.get(path + "/signingStatus?signer=bob").ok()["status"], "SIGNING_PENDING")
	c.put(path+"/roles/ada", object{"name": "x"}).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	c.put(path+"/roles/bob", object{"name": "x"}).ok()

	same(t, "what a signer reads", bob.get(path+"/documents/doc/pdf").text, blankPDF+"% "+strings.TrimPrefix(path, "/api/packages/")+"\n")
	bob.post(path+"/documents/signed_documents", everything).empty()
	p = c.get(path).ok()
	same(t, "status", p["status"], "COMPLETED")
	same(t, "completed", p["completed"] != nil, true)
	bob.post(path+"/documents/signed_documents", everything).refused(http.StatusBadRequest, "error.validation.package.invalidState")
	c.put(path, object{"status": "ARCHIVED"}).empty()
	c.put(path, object{"status": "COMPLETED"}).empty()
}

// A package that does not complete by itself waits for its sender.
func TestCompletion_BySender(t *testing.T) {
	c := start(t)
	path := c.sentPackage(object{"autocomplete": false})
	for _, signer := range []string{"ada", "bob"} {
		c.put(path, object{"status": "COMPLETED"}).refused(http.StatusBadRequest, "error.validation.package.invalidState")
		c.as(path, signer).post(path+"/documents/signed_documents", everything).empty()
	}
	same(t, "signing status", c.get(path + "/signingStatus").ok()["status"], "SIGNING_COMPLETED")
	c.post(path, object{"status": "COMPLETED"}).empty()
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")
}

// A session opens its own package and nothing else.
func TestSignerSession_OwnPackageOnly(t *testing.T) {
	c := startWithKey(t, "k3y")
	path, other := c.sentPackage(nil), c.sentPackage(nil)
	ada := c.as(path, "ada")
	const unauthorized = "error.unauthorized.invalidCredentials"
	for _, a := range []answer{
		ada.get(path), ada.get("/api/packages"), ada.get(other + "/documents/doc/pdf"), ada.post(other+"/documents/signed_documents", everything),
		ada.put(path, object{"name": "x"}), ada.post("/api/authenticationTokens/signer/singleUse", object{}),
	} {
		a.refused(http.StatusUnauthorized, unauthorized)
	}
	wrong := ada
	wrong.key = "wrong" // A wrong key is no matter for a session.
	wrong.get(path+"/documents/doc/pdf").refused(http.StatusUnauthorized, unauthorized)
	both := ada
	both.key = "k3y"
	both.post(other+"/documents/signed_documents", everything).refused(http.StatusForbidden, "error.forbidden.noPermission")
	c.manage("POST", "clock", object{"advance": "29m"})
	same(t, "after 29 minutes", ada.get(path+"/documents/doc/pdf").status, http.StatusOK)
	c.manage("POST", "clock", object{"advance": "29m"})
	same(t, "after 29 more", ada.get(path+"/documents/doc/pdf").status, http.StatusOK)
	c.manage("POST", "clock", object{"advance": "30m"})
	ada.get(path+"/documents/doc/pdf").refused(http.StatusUnauthorized, unauthorized)
}

func TestTokens_OfSigners(t *testing.T) {
	c := start(t)
	path := c.sentPackage(nil)
	body := object{"packageId": strings.TrimPrefix(path, "/api/packages/"), "signerId": "ada", "sessionFields": nil}
	token := func(kind string) string {
		return c.post("/api/authenticationTokens/signer/"+kind, body).ok()["value"].(string)
	}
	auth := func(token string) answer { return c.get("/auth?signerAuthenticationToken=" + token) }
	single, multi := token("singleUse"), token("multiUse")
	if text, err := base64.StdEncoding.DecodeString(single); err != nil || len(text) != 36 {
		t.Errorf("%q is not base64 of a UUID", single)
	}
	var all sync.WaitGroup
	var used atomic.Int32
	for range 5 {
		all.Go(func() {
			if auth(single).status == http.StatusOK {
				used.Add(1)
			}
		})
	}
	all.Wait()
	same(t, "uses of a single-use token", used.Load(), 1)
	auth(multi).ok()
	auth(multi).ok()
	c.manage("POST", "clock", object{"advance": "30m"})
	auth(multi).refused(http.StatusUnauthorized, "error.unauthorized.invalidCredentials")
	auth("").refused(http.StatusUnauthorized, "error.unauthorized.invalidCredentials")
	target := "/transaction/" + body["packageId"].(string) + "/sign"
	for to, want := range map[string]int{c.url + target: 303, target: 303, "https://evil.example/": 400, "//evil.example/x": 400, "javascript:alert(1)": 400, "x": 400} {
		a := c.get("/auth?signerAuthenticationToken=" + token("singleUse") + "&target=" + to)
		if a.status != want || want == 303 && (a.header.Get("Location") != c.url+target || !strings.Contains(a.header.Get("Set-Cookie"), "ESIGNLIVE_SESSION_ID=")) {
			t.Errorf("%s: %d %s %s", to, a.status, a.header, a.text)
		}
	}
	for _, wrong := range []object{{"packageId": "none", "signerId": "ada"}, {"packageId": body["packageId"], "signerId": "eve"}, {}} {
		if a := c.post("/api/authenticationTokens/signer/multiUse", wrong); a.status != http.StatusNotFound {
			t.Errorf("%v: %d %s", wrong, a.status, a.text)
		}
	}
}

// A person follows the link of the invitation, and signs or declines.
func TestSigningPage_SignOrDecline(t *testing.T) {
	c := startWithKey(t, "k3y")
	path := c.sentPackage(object{"name": "<Loan>"})
	person := func(role string) (client, string) {
		signing := c.get(path + "/roles/" + role + "/signingUrl").ok()
		same(t, "roleId", signing["roleId"], role)
		same(t, "packageId", "/api/packages/"+signing["packageId"].(string), path)
		same(t, "again", c.get(path + "/roles/" + role + "/signingUrl").ok()["url"], signing["url"])
		p := c
		p.key = ""
		c.manage("POST", "clock", object{"advance": "2000h"}) // the link never expires
		a := p.get(strings.TrimPrefix(signing["url"].(string), c.url))
		cookie := regexp.MustCompile(`ESIGNLIVE_SESSION_ID=([^;]+); Path=/; HttpOnly; SameSite=Lax`).FindStringSubmatch(a.header.Get("Set-Cookie"))
		if a.status != http.StatusSeeOther || cookie == nil {
			t.Fatalf("%d %s", a.status, a.header)
		}
		p.session = cookie[1]
		return p, strings.TrimPrefix(a.header.Get("Location"), c.url)
	}
	shows := func(p client, page string, parts ...string) {
		t.Helper()
		a := p.get(page)
		for _, part := range parts {
			if !strings.Contains(a.text, part) {
				t.Errorf("%d without %s: %s", a.status, part, a.text)
			}
		}
	}
	bob, page := person("bob")
	shows(bob, page, "&lt;Loan&gt;", "It is not your turn yet")
	early := bob.press(page, "action=sign")
	same(t, "before their turn", early.status, http.StatusForbidden)
	same(t, "said", strings.Contains(early.text, "It is not your turn yet") && !strings.Contains(early.text, ">Sign<"), true)
	same(t, "nothing is signed", c.get(path + "/signingStatus?signer=bob").ok()["status"], "SIGNING_PENDING")
	ada, page := person("ada")
	shows(ada, page, "Contract", ">Accept<", ">Decline<")
	same(t, "accepted", ada.press(page, "action=accept").header.Get("Location"), page)
	shows(ada, page, "Contract", ">Sign<", ">Decline<")
	same(t, "its document", ada.get(regexp.MustCompile(`href="([^"]*/doc/pdf)"`).FindStringSubmatch(ada.get(page).text)[1]).text, blankPDF+"% "+strings.TrimPrefix(path, "/api/packages/")+"\n")
	same(t, "signed", ada.press(page, "action=sign").header.Get("Location"), page)
	shows(ada, page, "You have signed", "(signed)", ">Finish<")
	shows(ada, ada.press(page, "action=finish").header.Get("Location"), "You have signed", `<a href="http://localhost`+strings.TrimPrefix(path, "/api")+`?from=signing">Back to Countersign</a>`)
	bob, page = person("bob") // hours later the session has ended
	shows(bob, page+"?decline=ask", "<label for=\"reason\">Reason ", ">Go back<", ">Decline<")
	same(t, "without a reason", bob.press(page, "action=decline&reason=+").status, http.StatusUnprocessableEntity)
	same(t, "declined", bob.press(page, "action=decline&reason=Too+dear").status, http.StatusSeeOther)
	p := c.get(path).ok()
	same(t, "status", p["status"], "DECLINED")
	same(t, "reason", at(t, p, "messages.0.content"), "Too dear")
	same(t, "by", at(t, p, "messages.0.from.id"), "bob")

	nobody := c
	nobody.key = ""
	for _, a := range []answer{nobody.get("/sign/none"), nobody.get("/access?sessionToken=none"), nobody.get(page), nobody.press(page, "action=sign"), bob.get("/transaction/none/sign")} {
		if a.status != http.StatusForbidden || !strings.Contains(a.text, "<h1>") {
			t.Errorf("%s: %d %s", a.call, a.status, a.text)
		}
	}
	c.get(c.create(object{"name": "a", "roles": []object{signerRole("ada", "ada@example.org")}})+"/roles/ada/signingUrl").
		refused(http.StatusBadRequest, "error.validation.package.invalidState")
}

// The sender signs with the API key alone; a request's claim that a document is signed is
// ignored.
func TestSender_SignsWithAPIKey(t *testing.T) {
	c := start(t)
	path := c.packaged(object{"name": "Loan", "status": "SENT",
		"roles":     []object{{"id": "owner", "type": "SENDER", "signers": []object{{"email": "sandbox@sandbox.example", "firstName": "Sandbox", "lastName": "Sender"}}}},
		"documents": []object{{"id": "doc", "approvals": []object{{"role": "owner", "signed": "2020-01-01T00:00:00Z", "accepted": "2020-01-01T00:00:00Z"}}}},
	}, blankPDF)
	same(t, "signed before", at(t, c.get(path).ok(), "documents.1.approvals.0.signed"), nil)
	c.post(path+"/documents/signed_documents", object{"documents": []object{{"id": "none"}}}).refused(http.StatusNotFound, "error.notFound.documentNotFound")
	c.post(path+"/documents/signed_documents", everything).empty()
	same(t, "status", c.get(path).ok()["status"], "COMPLETED")
	same(t, "roles", c.get(path + "/roles").ok()["count"], 1)
}
