package operation_test

import (
	"net/http"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// proofs opens the signing page with what is asked, and signs once past us.
func (l *trail) proofs() {
	a, b := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Program(l.t, l.App).SignedIn(bob)
	check := b.Send("PUT", "/api/transaction?for=self", members{"users": []any{members{"first_name": "Bob", "last_name": "Baker"}}}).Want(http.StatusOK).Text("id")
	e2etest.Manage(l.t, l.App, "POST", "/transactions/"+check, members{"status": "completed"})
	lease := e2etest.Lease("Lease", "DRAFT", "bob@sandbox.example")
	signer := lease["roles"].([]any)[0].(members)["signers"].([]any)[0].(members)
	signer["id"], signer["lastName"] = "bob", "Baker"
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
	e2etest.SignAt(l.t, e2etest.AtPlatform(l.t, l.App, "GET", "/api/packages/"+id+"/roles/bob/signingUrl", nil).Text("url"))
}
