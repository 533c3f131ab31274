package signing_test

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// An SDK's numbers for e-mail and SMS reach the platform as words, in every call; the
// sandbox accepts nothing else.
func numbersOfNotifications(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	role := func(id, email, primary string) string {
		return `{"id":"` + id + `","signers":[{"email":"` + email + `","firstName":"A","lastName":"B","phone":"+436601234567","notificationMethods":{"primary":` + primary + `}}]}`
	}
	create := func(primary string) string { return `{"name":"a","roles":[` + role("r1", "one@b.co", primary) + `]` }
	told := func(id, role, want string) {
		t.Helper()
		var r struct {
			Signers []struct {
				NotificationMethods struct{ Primary []string }
			}
		}
		if err := json.Unmarshal(alice.Send("GET", "/api/packages/"+id+"/roles/"+role, nil).Want(200).Body, &r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Signers[0].NotificationMethods.Primary, " "); got != want {
			t.Errorf("%s is told by %q, want %q", role, got, want)
		}
	}
	id := alice.Send("POST", "/api/packages", create(`[ 1, 0 ]`)+`}`).Want(200).Text("id")
	told(id, "r1", "SMS EMAIL")
	for _, body := range []string{
		form(payload(create(`["EMAIL",1]`)+`,"documents":[{}]}`), attached("a.pdf", paper("A"))),
		form(attached("a.pdf", paper("A")), payload(create(`["EMAIL",1]`)+`,"documents":[{}]}`)),
	} {
		told(upload(alice, "/api/packages", body).Want(200).Text("id"), "r1", "EMAIL SMS")
	}
	alice.Send("PUT", "/api/packages/"+id+"/roles/r1", role("r1", "one@b.co", `[0]`)).Want(200)
	told(id, "r1", "EMAIL")
	alice.Send("POST", "/api/packages/"+id+"/roles", role("r2", "two@b.co", `[1]`)).Want(200)
	told(id, "r2", "SMS")
	alice.Send("PUT", "/api/packages/"+id, create(`[0]`)+`}`).Want(200)
	told(alice.Send("POST", "/api/packages/"+id+"/clone", `{"roles":[`+role("r9", "nine@b.co", `[1]`)+`]}`).Want(200).Text("id"), "r9", "SMS")
	for _, primary := range []string{`[]`, `[0,0]`, `[0,"EMAIL"]`, `[2]`, `[0,1,0]`, `["1"]`} {
		r := alice.Send("POST", "/api/packages", create(primary)+`}`).Refused(400, "request.invalid")
		if got := e2etest.Pointers(t, r); got != "/roles/0/signers/0/notificationMethods/primary" {
			t.Errorf("%s is refused at %q", primary, got)
		}
	}
}
