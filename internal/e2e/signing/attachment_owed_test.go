package signing_test

import (
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A signer who signed and still owes a file that they must attach has not signed yet, on the page
// as in the lists: the next one waits, and a reminder goes to them.
func aSignerWhoOwesAFileIsNotDone(t *testing.T, app *e2etest.App) {
	p := meet(t, app)
	payload := lease("Lease", "SENT", "bob@sandbox.example", "carol@sandbox.example")
	payload["roles"].([]any)[0].(object)["attachmentRequirements"] = []any{
		object{"id": "passport", "name": "Passport", "required": true}, object{"id": "photo", "name": "Photo", "required": false},
	}
	id := create(p.alice, payload)
	path := page(id)
	e2etest.Sign(t, app, p.bob, id)

	has(t, p.alice.Page(path).Want(http.StatusOK), "Has not signed yet", "Signs later", ">Remind<")
	lacks(t, p.alice.Page(path), "Signed ·")
	has(t, p.bob.Page(path), ">Sign now<", "Has not signed yet")
	has(t, p.bob.Page(path+"?from=signing"), "You have not signed yet.")
	has(t, p.bob.Page("/packages"), "Lease")
	lacks(t, p.carol.Page(path), ">Sign now<")
	p.alice.Post(path, "action", "remind").Want(http.StatusSeeOther)

	upload(p.bob, "/api/packages/"+id+"/attachment/passport", form(attached("passport.txt", "Passport"))).Want(http.StatusOK)
	has(t, p.alice.Page(path).Want(http.StatusOK), "Signed ·", "Has not signed yet")
	lacks(t, p.alice.Page(path), "Signs later")
	has(t, p.bob.Page(path+"?from=signing"), "You have signed.")
	has(t, p.carol.Page(path), ">Sign now<")
}
