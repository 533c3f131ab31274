package verification_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// Every payload is limited to sixty-four levels and a mebibyte.
func payloadsAreBounded(t *testing.T, app *e2etest.App) {
	alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), operator(t, app)
	id := started(alice)
	deep := func(depth int) string { return strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth) }
	for _, c := range []struct {
		client              *e2etest.Client
		method, path, begin string
	}{
		{alice, "PUT", "/api/transaction/", `{"language":"en","users":[{"first_name":"Anna","last_name":"Muster"}],`},
		{alice, "POST", "/api/transaction/" + id + "/token", `{"role":"customer",`},
		{carol, "POST", "/api/transactions/mark-for-erasure", `{"grace_period":25,"transaction_ids":["` + id + `"],`},
		{carol, "POST", "/api/transactions/unmark-for-erasure", `{"transaction_ids":["` + id + `"],`},
		{alice, "PUT", "/api/transaction/" + id + "/event", `{"trigger":"transaction_cancelled",`},
	} {
		if r := c.client.Send(c.method, c.path, c.begin+`"x":`+deep(64)+`}`).Refused(http.StatusBadRequest, "request.malformed"); r.Member("fields") != nil {
			t.Errorf("%s: %s", r.What, r.Body)
		}
		c.client.Send(c.method, c.path, c.begin+`"x":"`+strings.Repeat("a", 1<<20)+`"}`).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
		c.client.Send(c.method, c.path, c.begin+`"x":`+deep(63)+`}`).Want(http.StatusOK)
	}
}
