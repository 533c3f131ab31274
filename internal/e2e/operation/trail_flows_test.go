package operation_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"sync"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
)

func (l *trail) signIns() {
	c := e2etest.Browser(l.t, l.App)
	e2etest.WrongPassword(c, alice).Want(http.StatusConflict)
	refused := audit.Event{Kind: audit.SignInRefused, Person: alice, Method: "password", Reason: "authentication.failed"}
	l.did(refused)
	c.Password(alice)
	accepted := event(audit.SignedIn, alice)
	accepted.Method = "password"
	l.did(accepted)
	c.Password(alice)
	again := event(audit.SteppedUp, alice)
	again.Method = "password"
	l.did(again)
	c.Post("/login", "step", "password", "user", bob, "password", "not it").Want(http.StatusConflict)
	refused.Person = bob
	l.did(refused)
	phone := e2etest.Browser(l.t, l.App)
	for decision, reason := range map[string]string{"accept": "", "refuse": "refused"} {
		id := e2etest.Push(phone, alice).Text("requestID")
		e2etest.Manage(l.t, l.App, "POST", "/push/"+id, members{"decision": decision})
		phone.Decided(id)
		pushed := audit.Event{Kind: audit.SignInRefused, Person: alice, Method: "push", Reason: reason}
		if reason == "" {
			pushed = event(audit.SignedIn, alice)
			pushed.Method = "push"
		}
		l.did(pushed)
		phone = e2etest.Browser(l.t, l.App)
	}
	e2etest.Manage(l.t, l.App, "POST", "/faults", e2etest.Fault{"operation": "sessionStatus", "times": 1, "body": members{"sessionStatus": "failed"}})
	c.Elsewhere().Decided(e2etest.Push(c, alice).Text("requestID"))
	unreached := event(audit.SignInRefused, alice)
	unreached.Method, unreached.Reason = "push", "failed"
	l.did(unreached)
}

func (l *trail) sessions() {
	one, other := e2etest.Browser(l.t, l.App).SignedIn(bob), e2etest.Browser(l.t, l.App).SignedIn(bob)
	l.read += 2
	sessions := other.Sessions()
	id := sessions[slices.IndexFunc(sessions, func(s e2etest.Session) bool { return s.Current })].ID
	one.Send("DELETE", "/account/sessions/"+id, nil).Want(http.StatusNoContent)
	ended := event(audit.SessionEnded, bob)
	ended.Subject = id
	l.did(ended)
	one.Post("/account", "action", "end-others").Want(http.StatusSeeOther)
	ended.Subject = ""
	l.did(ended)
	one.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	l.did(event(audit.SignedOut, bob))
	one.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	e2etest.Program(l.t, l.App).RequestSignIn(bob)
	l.did()
}

func (l *trail) authenticators() {
	c := e2etest.Browser(l.t, l.App).SignedIn(alice)
	l.read++
	key := e2etest.NewPasskey(l.App)
	response := c.Create(key, c.RequestRegistration())
	l.did()
	c.FinishRegistration(response).Want(http.StatusOK)
	registered := event(audit.AuthenticatorRegistered, alice)
	registered.Protocol, registered.KeyKind = "FIDO2", "device-bound"
	l.did(registered)
	c.FinishRegistration(response).Want(http.StatusConflict)
	refused := event(audit.AuthenticatorRefused, alice)
	refused.Protocol, refused.Reason, refused.KeyKind = "FIDO2", "ceremony.spent", "device-bound"
	l.did(refused)
	id, _ := c.Authenticators()[0]["id"].(string)
	c.Send("PATCH", "/users/me/authenticators/"+id, members{"name": "Desk"}).Want(http.StatusNoContent)
	renamed := event(audit.AuthenticatorRenamed, alice)
	renamed.Subject = id
	l.did(renamed)
	c.Send("DELETE", "/users/bob@sandbox/authenticators/"+id, nil).Want(http.StatusForbidden)
	c.Send("DELETE", "/users/me/authenticators/x", nil).Want(http.StatusNotFound)
	l.did()
	c.Send("DELETE", "/users/me/authenticators/"+id, nil).Want(http.StatusNoContent)
	renamed.Kind = audit.AuthenticatorRemoved
	l.did(renamed)
	c.Send("POST", "/users/register", `{"userID":"alice","domain":"sandbox","activationType":"onlineMDL"}`).Want(http.StatusOK)
	l.did(event(audit.ActivationPassword, alice))
}

func (l *trail) transactions() {
	c := e2etest.Browser(l.t, l.App).SignedIn(alice)
	l.read++
	for decision, kind := range map[string]audit.Kind{"accept": audit.TransactionConfirmed, "refuse": audit.TransactionRefused} {
		id := c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
		e2etest.Manage(l.t, l.App, "POST", "/push/"+id, members{"decision": decision})
		c.Decided(id)
		decided := event(kind, alice)
		decided.Method = "push"
		if kind == audit.TransactionRefused {
			decided.Reason = "refused"
		}
		l.did(decided)
	}
}

// changed returns an event of a package.
func changed(person, operation, id, onBehalfOf string) audit.Event {
	e := event(audit.PackageChanged, person)
	e.Operation, e.Subject, e.OnBehalfOf = operation, id, onBehalfOf
	return e
}

func (l *trail) packages() {
	a, b, c := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Program(l.t, l.App).SignedIn(bob), e2etest.Browser(l.t, l.App).SignedIn(carol)
	l.read += 3
	lease := members{"name": "Lease", "status": "DRAFT", "roles": []any{}, "documents": []any{
		members{"id": "lease", "name": "Lease", "base64Content": base64.StdEncoding.EncodeToString([]byte(e2etest.Blank))},
	}}
	id := a.Send("POST", "/api/packages", lease, "Idempotency-Key", "lease").Want(http.StatusOK).Text("id")
	l.did(changed(alice, "createPackage", id, ""))
	a.Send("POST", "/api/packages", lease, "Idempotency-Key", "lease").Want(http.StatusOK)
	b.Send("PUT", "/api/packages/"+id, members{"name": "Mine"}).Want(http.StatusNotFound)
	a.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK)
	l.did()
	c.Send("PUT", "/api/packages/"+id, members{"name": "New lease"}).Want(http.StatusOK)
	l.did(changed(carol, "updatePackage", id, alice))
	c.Send("POST", "/api/packages/"+id+"/reminders", members{"startInDaysDelay": 1, "intervalInDays": 2, "repetitionsCount": 3}).Want(http.StatusOK)
	l.did(changed(carol, "setReminders", id, alice)) // which leaves the package as it is
	c.Post("/packages/"+id, "action", "copy").Want(http.StatusSeeOther)
	l.did(changed(carol, "clonePackage", some, ""))

	// The index may hear of a deletion before its answer comes.
	e2etest.Manage(l.t, l.App, "DELETE", "/journal", nil)
	e2etest.Manage(l.t, l.App, "POST", "/faults", members{"operation": "deletePackage", "status": http.StatusOK, "delay": "1s"})
	var wait sync.WaitGroup
	wait.Go(func() { c.Send("DELETE", "/api/packages/"+id, nil).Want(http.StatusOK) })
	e2etest.Eventually(l.t, "it is deleted", func() bool { return slices.Contains(e2etest.Journal(l.t, l.App), "deletePackage") })
	e2etest.AtPlatform(l.t, l.App, "DELETE", "/api/packages/"+id, nil)
	a.Send("GET", "/api/packages/"+id, nil).Want(http.StatusNotFound)
	wait.Wait()
	l.did(changed(carol, "deletePackage", id, alice))
}

func (l *trail) verifications() {
	a, c := e2etest.Program(l.t, l.App).SignedIn(alice), e2etest.Browser(l.t, l.App).SignedIn(carol)
	l.read += 2
	id := a.Send("PUT", "/api/transaction/", members{"language": "en", "users": []any{members{"first_name": "Anna", "last_name": "Muster"}}}).Want(http.StatusOK).Text("id")
	e := event(audit.VerificationChanged, alice)
	e.Operation, e.Subject = "createTransaction", id
	l.did(e)
	c.Send("POST", "/api/transactions/mark-for-erasure", members{"grace_period": 30, "transaction_ids": []string{id, "7d1ce6a0-3f0e-4d0c-9f51-64b0a4d7c0aa"}}).Want(http.StatusOK)
	e.Person, e.Operation, e.OnBehalfOf = carol, "markForErasure", alice
	l.did(e)
	c.Post("/verifications/"+id, "action", "take-back").Want(http.StatusSeeOther)
	e.Operation = "unmarkForErasure"
	l.did(e)
}
