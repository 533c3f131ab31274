package compose_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

func TestRequirements_Permissions(t *testing.T) {
	s := openSite(t)
	id := s.send(aPasskey, "dora@sandbox.example")
	e2etest.Manage(t, s.app, "PUT", "/users/dora@sandbox", members{"passKey": "Sandbox-1!", "email": "dora@sandbox.example"})
	e2etest.Manage(t, s.app, "PUT", "/users/stella@sandbox", members{"passKey": "Sandbox-1!"})
	operator, dora, outsider := e2etest.Program(t, s.app).SignedIn(carol), e2etest.Program(t, s.app).SignedIn("dora@sandbox"), e2etest.Program(t, s.app).SignedIn("stella@sandbox")
	path := "/api/packages/" + id
	for _, who := range []*e2etest.Client{s.owner, operator} {
		who.Send("GET", path+"/roles/bob/proofs", nil).Want(http.StatusOK)
		who.Send("PUT", path+"/roles/bob/proofs", members{"passkey": members{"maxAge": 200}}).Want(http.StatusOK)
		who.Send("GET", path+"/proofs", nil).Want(http.StatusOK)
		for _, name := range []string{"/roles/bob@sandbox.example", "/roles/Bob@Sandbox.Example"} { // as the role itself is found
			who.Send("GET", path+name, nil).Want(http.StatusOK)
			who.Send("PUT", path+name+"/proofs", members{"passkey": members{"maxAge": 200}}).Want(http.StatusOK)
			if got := canonical(t, who.Send("GET", path+name+"/proofs", nil).Want(http.StatusOK).Body); got != `{"identity":null,"passkey":{"maxAge":200}}` {
				t.Errorf("%s asks %s", name, got)
			}
		}
		if asked := s.proofs(id).Asked; asked["passkey"].MaxAge != 200 {
			t.Errorf("bob is asked %+v", asked)
		}
		who.Send("GET", path+"/roles/nobody/proofs", nil).Refused(http.StatusNotFound, "request.not-found")
		who.Send("PUT", path+"/roles/nobody/proofs", aPasskey).Refused(http.StatusNotFound, "request.not-found")
		who.Send("DELETE", path+"/roles/bob/proofs", nil).Refused(http.StatusMethodNotAllowed, "request.method")
	}
	if read := strings.Join(s.events("operator.read"), ""); strings.Count(read, `"operation":"getRoleProofs"`) != 3 || !strings.Contains(read, `"onBehalfOf":"`+alice+`"`) {
		t.Errorf("what the operator read is told as %s", read)
	}
	s.bob.Send("GET", path+"/roles/bob/proofs", nil).Want(http.StatusOK)
	for _, name := range []string{"/roles/bob@sandbox.example", "/roles/dora@sandbox.example"} { // whose an address is, is not told
		s.bob.Send("GET", path+name, nil).Refused(http.StatusNotFound, "request.not-found")
		s.bob.Send("GET", path+name+"/proofs", nil).Refused(http.StatusNotFound, "request.not-found")
	}
	s.bob.Send("GET", path+"/roles/dora/proofs", nil).Refused(http.StatusForbidden, "signing.not-your-role")
	dora.Send("GET", path+"/roles/bob/proofs", nil).Refused(http.StatusForbidden, "signing.not-your-role")
	s.bob.Send("PUT", path+"/roles/bob/proofs", aPasskey).Refused(http.StatusForbidden, "signing.read-only")
	for _, r := range []e2etest.Reply{
		outsider.Send("GET", path+"/roles/bob/proofs", nil), outsider.Send("PUT", path+"/roles/bob/proofs", aPasskey),
		outsider.Send("GET", path+"/proofs", nil), outsider.Page("/packages/" + id + "/proofs"),
	} {
		r.Want(http.StatusNotFound)
	}
	e2etest.Program(t, s.app).Send("GET", path+"/proofs", nil).Refused(http.StatusUnauthorized, "session.required")
	roles, _ := s.bob.Send("GET", path+"/proofs", nil).Want(http.StatusOK).Member("roles").([]any)
	if len(roles) != 1 {
		t.Errorf("bob reads of %d roles", len(roles))
	}
}

func TestRequirements_Validation(t *testing.T) {
	s := openSite(t)
	id := s.owner.Send("POST", "/api/packages", lease("bob@sandbox.example")).Want(http.StatusOK).Text("id")
	if got := e2etest.Pointers(t, s.ask(id, members{"passkey": members{"maxAge": 29}}).Refused(http.StatusBadRequest, "request.invalid")); got != "/passkey/maxAge" {
		t.Errorf("it is refused at %s", got)
	}
	s.owner.Send("PUT", "/api/packages/"+id+"/roles/bob/proofs", `{"passkey":{},"passkey":{}}`).Refused(http.StatusBadRequest, "request.malformed")
	for _, r := range []e2etest.Reply{s.ask(id, anIdentity), s.owner.Send("GET", "/api/packages/"+id+"/roles/bob/proofs", nil)} {
		if got := canonical(t, r.Want(http.StatusOK).Body); got != `{"identity":{"maxAge":7776000},"passkey":null}` {
			t.Errorf("%s: %s", r.What, got)
		}
	}
}

// What a package asks can be made stricter after it was sent, and never weaker.
func TestRequirements_OnlyStricterAfterSending(t *testing.T) {
	s := openSite(t)
	id := s.send(members{"passkey": members{"maxAge": 300}})
	s.ask(id, members{"passkey": members{"maxAge": 300}}).Want(http.StatusOK)
	s.ask(id, members{"passkey": members{"maxAge": 301}}).Refused(http.StatusConflict, "signing.state")
	s.ask(id, members{}).Refused(http.StatusConflict, "signing.state")
	s.ask(id, anIdentity).Refused(http.StatusConflict, "signing.state")
	s.ask(id, members{"passkey": members{"maxAge": 60}, "identity": members{}}).Want(http.StatusOK)
	s.ask(id, aPasskey).Refused(http.StatusConflict, "signing.state")
	s.owner.Send("PUT", "/api/packages/"+id, members{"data": nil}).Want(http.StatusOK)
	if asked := s.proofs(id).Asked; asked["passkey"] == nil || asked["passkey"].MaxAge != 60 || asked["identity"] == nil {
		t.Errorf("the package asks %+v after its data were removed", asked)
	}
	s.owner.Send("PUT", "/api/packages/"+id, members{"status": "DECLINED", "messages": []any{members{"content": "no", "from": members{"id": "alice"}}}})
	free := s.send(nil)
	e2etest.SignAt(t, s.invitation("bob@sandbox.example"))
	s.ask(free, aPasskey).Refused(http.StatusConflict, "signing.state")
	if state := s.proofs(free).State; state != "none" {
		t.Errorf("nothing asked is %q", state)
	}
}

// A copy asks for the same, and has nothing that was kept.
func TestCopy_RequiresSameProofs(t *testing.T) {
	s := openSite(t)
	id := s.send(members{"passkey": members{"maxAge": 77}})
	s.passkey()
	s.token(id).Want(http.StatusOK)
	copied := s.owner.Send("POST", "/api/packages/"+id+"/clone", members{"name": "Copy"}).Want(http.StatusOK).Text("id")
	to := s.owner.Post("/packages/"+id, "action", "copy", "once", "1").Want(http.StatusSeeOther).Header.Get("Location")
	t.Log(to)
	if got := s.proofs(copied); got.Asked["passkey"] == nil || got.Asked["passkey"].MaxAge != 77 || len(got.Kept) != 0 || got.State != "waiting" {
		t.Errorf("the copy has %+v", got)
	}
	if got := s.proofs(id); len(got.Kept) != 1 {
		t.Errorf("the original has %+v", got)
	}
}
