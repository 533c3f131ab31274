package operation_test

import (
	"net/http"
	"strings"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

// What operators read of other people's is told with whose it is; what is their own is not.
func (l *trail) people() {
	a, c := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Program(l.t, l.App).SignedIn(carol)
	l.read = len(l.events())
	read := func(operation, subject, onBehalfOf string) audit.Event {
		e := event(audit.OperatorRead, carol)
		e.Operation, e.Subject, e.OnBehalfOf = operation, subject, onBehalfOf
		return e
	}
	c.Send("GET", "/people/"+alice, nil).Want(http.StatusOK)
	l.did(read("getPerson", "", alice))
	c.Send("GET", "/people", nil).Want(http.StatusOK)
	c.Send("GET", "/people/nobody@sandbox", nil).Want(http.StatusNotFound)
	l.did()

	lease := members{"name": "Lease", "status": "DRAFT", "roles": []any{}, "documents": []any{}}
	id, own := a.Send("POST", "/api/packages", lease).Want(http.StatusOK).Text("id"), c.Send("POST", "/api/packages", lease).Want(http.StatusOK).Text("id")
	l.read += 2
	for path, operation := range map[string]string{"": "getPackage", "/roles": "listRoles", "/documents/visibility": "getVisibility"} {
		c.Send("GET", "/api/packages/"+id+path, nil).Want(http.StatusOK)
		l.did(read(operation, id, alice))
		c.Send("GET", "/api/packages/"+own+path, nil).Want(http.StatusOK)
		a.Send("GET", "/api/packages/"+id+path, nil).Want(http.StatusOK)
		l.did()
	}
	c.Page("/packages/" + id).Want(http.StatusOK)
	l.did(read("getPackage", id, alice))
	c.Page("/packages/" + own).Want(http.StatusOK)
	c.Send("GET", "/api/packages?mine=owner", nil)
	c.Send("GET", "/api/packages/nothing", nil).Want(http.StatusNotFound)
	l.did()
	c.Send("GET", "/api/packages", nil).Want(http.StatusOK)
	l.did(read("listPackages", "", ""))
	c.Send("GET", "/api/packages/export", nil).Want(http.StatusOK)
	l.did(read("exportPackages", "", ""))
	c.Post("/packages/"+id, "action", "nonsense").Want(http.StatusBadRequest)
	l.did(read("getPackage", id, alice))
	l.verificationsRead(a, c, read)

	ended := event(audit.OperatorEnded, carol)
	ended.OnBehalfOf, ended.Reason = alice, "a stolen phone"
	c.Send("DELETE", "/people/"+alice+"/sessions", members{"reason": " a stolen phone "}).Want(http.StatusNoContent)
	l.did(ended)
	a = e2etest.Program(l.t, l.App).SignedIn(alice)
	a.Register(e2etest.NewPasskey(l.App))
	removed := event(audit.OperatorRemoved, carol)
	removed.OnBehalfOf, removed.Reason = alice, "lost"
	removed.Subject, _ = a.Authenticators()[0]["id"].(string)
	l.read += 2
	c.Send("DELETE", "/people/"+alice+"/authenticators/"+removed.Subject+"?confirm=last&reason=lost", nil).Want(http.StatusNoContent)
	l.did(removed)
	for user, kind := range map[string]audit.Kind{"erin@sandbox/unlock": audit.OperatorUnlocked, "dave@sandbox/enable": audit.OperatorEnabled} {
		helped := event(kind, carol)
		helped.OnBehalfOf, _, _ = strings.Cut(user, "/")
		helped.Reason = "she called"
		c.Send("POST", "/people/"+user, members{"reason": "she called"}).Want(http.StatusNoContent)
		l.did(helped)
	}
	c.Send("GET", "/people?userID=ali", nil, "Accept", "application/json").Want(http.StatusOK)
	l.did(read("queryUsers", "", ""))
}

func (l *trail) verificationsRead(a, c *e2etest.Client, read func(operation, subject, onBehalfOf string) audit.Event) {
	input := members{"language": "en", "users": []any{members{"first_name": "Anna", "last_name": "Muster"}}}
	id := a.Send("PUT", "/api/transaction/", input).Want(http.StatusOK).Text("id")
	own := c.Send("PUT", "/api/transaction/", input).Want(http.StatusOK).Text("id")
	l.read += 2
	c.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK)
	l.did(read("getTransaction", id, alice))
	c.Page("/verifications/" + id).Want(http.StatusOK)
	l.did(read("getTransaction", id, alice))
	c.Send("GET", "/api/transaction/"+own, nil).Want(http.StatusOK)
	c.Page("/verifications/" + own).Want(http.StatusOK)
	l.did()
	c.Send("GET", "/api/transactions", nil).Want(http.StatusOK)
	l.did(read("listTransactions", "", ""))
	c.Page("/verifications").Want(http.StatusOK)
	l.did(read("listTransactions", "", ""))
}
