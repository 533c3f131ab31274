package signing_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// Before an answer the platform is asked for what the answer needs: what Countersign itself has
// changed is read after it, and a signer who was removed has no access from the answer on.
func TestSigning_CallsBeforeTheAnswer(t *testing.T) {
	app := e2etest.Boot(t)
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	indexed(alice)
	asks := func(about string, do func(), want ...string) {
		t.Helper()
		list(alice, "") // what was changed before is read
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		do()
		if calls := e2etest.JournalOfRequests(t, app, about, time.Now()); !slices.Equal(calls, want) {
			t.Errorf("the platform is asked %q, want %q", calls, want)
		}
	}
	var id string
	asks("", func() { id = create(alice, draft("Lease", frankMail)) }, "createPackage")
	path := packages + "/" + id
	asks(id, func() { alice.Send("GET", path, nil).Want(http.StatusOK) }, "getPackage")
	asks(id, func() {
		alice.Send("PUT", path+"/roles/signer1", recipient("signer1", bobMail)).Want(http.StatusOK)
	}, "getPackage", "updateRole")
	asks(id, func() { alice.Send("PUT", path, object{"status": "SENT"}).Want(http.StatusOK) }, "updatePackage")
	if p := list(bob, "folder=SENT"); !slices.Equal(p.ids(), []string{id}) {
		t.Errorf("who has to sign it finds %q", p.ids())
	}
	bob.Send("GET", path, nil).Want(http.StatusOK)
	alice.Send("DELETE", path+"/roles/signer1", nil).Want(http.StatusOK)
	bob.Send("GET", path, nil).Refused(http.StatusNotFound, notFound)
	if p := list(bob, ""); p.Count != 0 {
		t.Errorf("who was removed finds %q", p.ids())
	}
	asks("", func() { id = create(alice, sentTo(bobMail)) }, "createPackage")
	bob.Send("GET", packages+"/"+id, nil).Want(http.StatusOK)
}
