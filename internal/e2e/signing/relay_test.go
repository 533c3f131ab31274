package signing_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// draft returns a package with one document and one signer.
func draft(name, signer string) map[string]any {
	return map[string]any{
		"name":  name,
		"roles": []any{map[string]any{"id": "signer1", "signers": []any{map[string]any{"email": signer, "firstName": "Bo", "lastName": "B"}}}},
		"documents": []any{map[string]any{
			"id": "contract", "name": "Contract", "base64Content": base64.StdEncoding.EncodeToString([]byte(e2etest.Blank)),
			"approvals": []any{map[string]any{"role": "signer1", "fields": []any{
				map[string]any{"type": "SIGNATURE", "subtype": "FULLNAME", "top": 100, "left": 100, "width": 200, "height": 50},
			}}},
		}},
	}
}

// signer returns a signer in the platform's form.
func signer(id, email string) map[string]any {
	return map[string]any{"id": id, "email": email, "firstName": "Given", "lastName": "Family"}
}

func TestPackages(t *testing.T) {
	t.Parallel()
	e2etest.Share(
		t, e2etest.Boot(t, "RATE_LOOKUP=off"), theRelay, approvalsOfASigner,
		filesAreKept, rulesOfLaterCalls, rulesOfCustomFields,
	)
}

func theRelay(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	t.Run("nobody signs for another", func(t *testing.T) { nobodySignsForAnother(t, app, alice) })
	t.Run("a role is found by its id", func(t *testing.T) { roleIsFoundByItsID(t, app, bob) })
	t.Run("success that is no JSON", func(t *testing.T) { successThatIsNoJSON(t, app, alice) })
	t.Run("a deletion waits", func(t *testing.T) { aDeletionWaits(t, app, alice) })
	t.Run("a deletion that is still read keeps nobody waiting", func(t *testing.T) { aDeletionIsReadFirst(t, app, alice) })
	t.Run("other methods", func(t *testing.T) { otherMethods(t, alice) })
}

// nobodySignsForAnother: an id that may mean another signer gives no token, wherever the
// package was made.
func nobodySignsForAnother(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	own, other := alice.Send("GET", "/session", nil).Want(200).Member("user").(map[string]any)["email"].(string), "bob@sandbox.example"
	token := func(id, signer string) e2etest.Reply {
		return alice.Send("POST", "/api/authenticationTokens/signer/singleUse", map[string]any{"packageId": id, "signerId": signer})
	}
	for name, signers := range map[string][2]map[string]any{
		"her id is his address": {signer(other, own), signer("b", other)},
		"her id is his id":      {signer("b", own), signer("b", other)},
		"her id is his role":    {signer("r2", own), signer("b", other)},
		"his id is her address": {signer("a", own), signer(own, other)},
	} {
		id := e2etest.AtPlatform(t, app, "POST", "/api/packages", map[string]any{"name": name, "status": "SENT", "roles": []any{
			map[string]any{"id": "r1", "signers": []any{signers[0]}}, map[string]any{"id": "r2", "signers": []any{signers[1]}},
		}}).Text("id")
		if id == "" {
			continue // the platform refuses it
		}
		for _, as := range []string{other, "b", "r2", signers[0]["id"].(string)} {
			if as != "a" {
				token(id, as).Refused(403, "signing.not-your-role")
			}
		}
		if name == "his id is her address" {
			token(id, own).Refused(403, "signing.not-your-role")
			token(id, "a").Want(200)
		}
		alice.Send("GET", "/api/packages/"+id+"/roles/r2/signingUrl", nil).Refused(403, "signing.not-your-role")
	}
	id := alice.Send("POST", "/api/packages", draft("Draft", own)).Want(200).Text("id")
	token(id, own).Refused(409, "signing.state")
	alice.Send("GET", "/api/packages/"+id+"/roles/signer1/signingUrl", nil).Refused(409, "signing.state")
	alice.Send("PUT", "/api/packages/"+id, map[string]any{"status": "SENT"}).Want(200)
	token(id, own).Want(200)
	alice.Send("GET", "/api/packages/"+id+"/roles/signer1/signingUrl", nil).Want(200)
}

// roleIsFoundByItsID: a signer cannot find out by trying whose address is in a package.
func roleIsFoundByItsID(t *testing.T, app *e2etest.App, bob *e2etest.Client) {
	id := e2etest.AtPlatform(t, app, "POST", "/api/packages", map[string]any{"name": "Two", "status": "SENT", "roles": []any{
		map[string]any{"id": "r1", "signers": []any{signer("b", "bob@sandbox.example")}},
		map[string]any{"id": "r2", "signers": []any{signer("g", "grace@sandbox.example")}},
	}}).Text("id")
	bob.Send("GET", "/api/packages/"+id+"/roles/r2", nil).Want(200)
	for _, by := range []string{"grace@sandbox.example", "GRACE@sandbox.example", "g"} {
		bob.Send("GET", "/api/packages/"+id+"/roles/"+by, nil).Refused(404, "request.not-found")
	}
}

func successThatIsNoJSON(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	id := alice.Send("POST", "/api/packages", draft("Contract", "frank@sandbox.example")).Want(200).Text("id")
	e2etest.Followed(t, app, id)
	for operation, send := range map[string]func() e2etest.Reply{
		"createPackage": func() e2etest.Reply {
			return alice.Send("POST", "/api/packages", draft("Contract", "frank@sandbox.example"))
		},
		"getAudit":         func() e2etest.Reply { return alice.Send("GET", "/api/packages/"+id+"/audit", nil) },
		"getPackage":       func() e2etest.Reply { return alice.Send("GET", "/api/packages/"+id, nil) },
		"getSigningStatus": func() e2etest.Reply { return alice.Send("GET", "/api/packages/"+id+"/signingStatus", nil) },
	} {
		for _, body := range []string{"<html><script>alert(1)</script>", "{\"id\":"} {
			e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": operation, "status": 200, "body": body})
			send().Refused(502, "platform.failed")
		}
	}
}

func otherMethods(t *testing.T, alice *e2etest.Client) {
	r := alice.Send("OPTIONS", "/api/packages", nil).Refused(405, "request.method")
	if got := r.Header.Get("Allow"); got != "GET, HEAD, POST" {
		t.Errorf("Allow: %s", got)
	}
	alice.Send("OPTIONS", "/api/sessions", nil).Refused(404, "request.not-found")
	alice.Send("PATCH", "/api/packages", nil).Refused(405, "request.method")
}

// A deletion waits for a request that writes the package's data, so that the change is not lost half
// done.
func aDeletionWaits(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	path := "/api/packages/" + alice.Send("POST", "/api/packages", map[string]any{"name": "Deleted"}).Want(http.StatusOK).Text("id")
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "updatePackage", "delay": "1s"})
	var change e2etest.Reply
	var wait sync.WaitGroup
	wait.Go(func() { change = alice.Send("PUT", path, map[string]any{"data": map[string]any{"a": "b"}}) })
	e2etest.Eventually(t, "the platform has the change", func() bool { return slices.Contains(e2etest.Journal(t, app), "updatePackage") })
	alice.Send("DELETE", path, nil).Want(http.StatusOK)
	wait.Wait()
	change.Want(http.StatusOK)
}

// A deletion is read to its end before it keeps others from the package.
func aDeletionIsReadFirst(t *testing.T, app *e2etest.App, alice *e2etest.Client) {
	path := "/api/packages/" + alice.Send("POST", "/api/packages", map[string]any{"name": "Deleted slowly"}).Want(http.StatusOK).Text("id")
	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, app.URL()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = alice.Header.Clone()
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	var wait sync.WaitGroup
	wait.Go(func() { alice.Do(request).Want(http.StatusOK) })
	defer wait.Wait()
	defer rest.Close()
	fmt.Fprint(rest, " ")
	e2etest.Eventually(t, "the deletion is permitted", func() bool { return slices.Contains(e2etest.Journal(t, app), "getPackage") })
	alice.Send("PUT", path, map[string]any{"data": map[string]any{"a": "b"}}).Want(http.StatusOK)
}
