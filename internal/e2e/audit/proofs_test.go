package audit_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// proofs opens the signing page with what is asked, and signs once past us.
func (l *trail) proofs() {
	a, b := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Program(l.t, l.App).SignedIn(bob)
	check := b.Send("PUT", "/api/transaction?for=self", members{"users": []any{members{"first_name": "Bob", "last_name": "Baker"}}}).Want(http.StatusOK).Text("id")
	e2etest.Manage(l.t, l.App, "POST", "/transactions/"+check, members{"status": "completed"})
	lease := members{
		"name": "Lease", "status": "DRAFT", "roles": []any{members{"id": "bob", "signers": []any{members{"id": "bob", "email": "bob@sandbox.example", "firstName": "Bob", "lastName": "Baker"}}}},
		"documents": []any{members{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString([]byte(blank)), "approvals": []any{
			members{"role": "bob", "fields": []any{members{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100, "left": 72, "width": 200, "height": 40}}},
		}}},
	}
	sent := func() string {
		id := a.Send("POST", "/api/packages", lease).Want(http.StatusOK).Text("id")
		a.Send("PUT", "/api/packages/"+id+"/roles/bob/proofs", members{"identity": members{}}).Want(http.StatusOK)
		a.Send("PUT", "/api/packages/"+id, members{"status": "SENT"}).Want(http.StatusOK)
		return id
	}
	opened, past := sent(), sent()
	l.read = len(l.events())
	b.Send("POST", "/api/authenticationTokens/signer/singleUse", members{"packageId": opened, "signerId": "bob"}).Want(http.StatusOK)
	all := l.events()
	if len(all) < l.read+1 || all[l.read].Kind != audit.SigningOpened || all[l.read].Person != bob || all[l.read].Subject != opened || !strings.Contains(string(all[l.read].Proof), check) {
		l.t.Errorf("opened is %+v", all[l.read:])
	}
	l.signPast(past)
	a.Send("GET", "/api/packages/"+past+"/proofs", nil).Want(http.StatusOK)
	l.read = len(l.events())
}

// signPast signs a package by the platform's own address of the signing page.
func (l *trail) signPast(id string) {
	l.t.Helper()
	var link struct{ URL string }
	response, err := http.Get(l.SandboxURL() + "/api/packages/" + id + "/roles/bob/signingUrl")
	if err == nil {
		err = json.NewDecoder(response.Body).Decode(&link)
		response.Body.Close()
	}
	if err != nil {
		l.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		l.t.Fatal(err)
	}
	signer := &http.Client{Jar: jar}
	response, err = signer.Get(link.URL)
	for _, action := range []string{"accept", "sign"} {
		if err != nil {
			l.t.Fatal(err)
		}
		response.Body.Close()
		response, err = signer.PostForm(response.Request.URL.String(), url.Values{"action": {action}})
	}
	if err != nil {
		l.t.Fatal(err)
	}
	response.Body.Close()
}
