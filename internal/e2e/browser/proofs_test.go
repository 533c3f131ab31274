package browser_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// asking sends a package that asks proofs of Bob, and returns the path of its page.
func asking(t *testing.T, app *e2etest.App, name string, asked members) string {
	t.Helper()
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	payload := toSign()
	payload["name"], payload["status"] = name, "DRAFT"
	id := alice.Send("POST", "/api/packages", payload).Want(http.StatusOK).Text("id")
	alice.Send("PUT", "/api/packages/"+id+"/roles/tenant/proofs", asked).Want(http.StatusOK)
	alice.Send("PUT", "/api/packages/"+id, members{"status": "SENT"}).Want(http.StatusOK)
	return "/packages/" + id
}

// verifies follows the link to a verification of one's own, plays it, and comes back to
// signing.
func (b *tab) verifies() {
	b.t.Helper()
	b.click("link", "Check your identity")
	b.fill("First name", "Bob")
	b.fill("Last name", "Baker")
	b.click("button", "Start")
	b.click("link", "Continue here")
	for _, step := range []string{"Choose document", "Take selfie", "I agree", "Finish"} {
		b.click("button", step)
	}
	b.there("heading", "Completed")
	b.click("link", "Back to signing")
}

// A person who lacks what the package asks is led to it and back to signing, to a passkey
// with scripts, to a verification with them and without.
func TestSigningPage_LeadsToMissingProof(t *testing.T) {
	app := e2etest.Boot(t)
	both, identity := asking(t, app, "Lease of the mill", members{"passkey": members{}, "identity": members{}}), asking(t, app, "Lease of the barn", members{"identity": members{}})
	b := visit(t, app).plugIn().script(noSuggestions)
	b.expect(http.StatusForbidden)
	b.signIn("bob@sandbox", both)
	b.click("link", "Sign now")
	b.there("heading", "2 more steps before you sign")
	for _, l := range looks {
		b.wear(l)
		b.examine("proofs missing " + l.name)
	}
	for _, language := range inTwo[1:] {
		b.speaks(language)
		b.open(both + "/sign")
		b.examine("proofs missing " + language)
	}
	b.speaks("en")
	b.wear(looks[0])
	b.open(both + "/sign")
	b.click("link", "Sign in with your passkey")
	b.reads("A password is not enough here")
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in with your password")
	b.there("heading", "2 more steps before you sign")
	b.click("link", "Sign in with your passkey")
	b.click("link", "Add a passkey first, if you have none")
	b.add()
	b.click("button", "Save name") // and is still led on
	b.says("status", "The new name is saved.")
	b.click("link", "Back to signing")
	b.click("link", "Sign in with your passkey")
	b.reads("A password is not enough here")
	b.click("button", "Sign in with a passkey")
	b.there("heading", "One more step before you sign")
	b.there("link", "Check your identity")
	b.verifies()
	b.there("button", "Accept")

	b.open(identity)
	b.click("link", "Sign now") // the verification is good for it as well
	b.there("button", "Accept")

	other := asking(t, app, "Lease of the shed", members{"identity": members{}})
	list := e2etest.Program(t, app).SignedIn("bob@sandbox").Send("GET", "/api/transactions", nil).Want(http.StatusOK)
	for _, one := range list.Member("results").([]any) {
		e2etest.Manage(t, app, "POST", "/transactions/"+one.(members)["id"].(string), members{"result": "Failed"})
	}
	b.withoutScripts()
	b.open(other + "/sign")
	b.reads("Your identity check did not pass.")
	b.verifies()
	b.there("button", "Accept")
}
