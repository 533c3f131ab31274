package verification_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// Sixty-four levels are the limit in every payload, and the error names no place; without
// its documents a payload is limited to a mebibyte.
func TestPayloadsAreBounded(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_VERIFICATION=off")
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
		for _, depth := range []int{64, 65, 30_000} {
			if r := c.client.Send(c.method, c.path, c.begin+`"x":`+deep(depth)+`}`).Refused(http.StatusBadRequest, "request.malformed"); r.Member("fields") != nil {
				t.Errorf("%s: %s", r.What, r.Body)
			}
		}
		for _, filler := range []string{`"x":"` + strings.Repeat("a", 1<<20) + `"}`, strings.Repeat(" ", 1<<20) + `"x":1}`, `"` + strings.Repeat("a", 1<<20) + `":1}`} {
			c.client.Send(c.method, c.path, c.begin+filler).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
		}
		c.client.Send(c.method, c.path, c.begin+`"x":`+deep(63)+`}`).Want(http.StatusOK)
	}
	file := `{"id":"d","content":"JVBERi0x` + strings.Repeat("AAAA", 1<<19) + `"}`
	alice.Send("PUT", "/api/transaction/", `{"language":"en","users":[{"first_name":"Anna","last_name":"Muster"}],"documents":[`+file+`],"x":"`+strings.Repeat("a", 1<<19)+`"}`).Want(http.StatusOK)
}
