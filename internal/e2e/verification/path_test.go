package verification_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// pathTricks are addresses that are not a transaction's, with {id} for its id.
var pathTricks = []string{
	"/api/Transaction/{id}", "/API/transaction/{id}", "/api/transaction/{id}/Evidence",
	"/api//transaction/{id}", "/api/transaction//{id}", "/api/transaction/{id}//", "/api/transaction/{id}//evidence", "//api/transaction/{id}",
	"/api/./transaction/{id}", "/api/x/../transaction/{id}", "/api/transaction/{id}/../{id}", "/api/transaction/%2e%2e/transaction/{id}",
	"/api/transaction/{id}/document/../pdf", "/api/transaction/{id}/document/%2e%2e/pdf", "/api/transaction/{id}/document/a%2fb/pdf", "/api/transaction/{id}/document//pdf",
	"/api/transaction%2f{id}", "/api%2ftransaction/{id}", "/%61pi/transaction/{id}", "/ap%69/transactions/{id}/evidence", "/api/transaction/{id}%2fevidence",
	"/api/transaction;x/{id}", "/api/transaction/{id};x", "/api/transaction/{id};x=/evidence", "/api/transaction/{id}/evidence;x",
	"/api/transaction/{{id}}", "/api/transaction/%7b{id}%7d", "/api/transaction/{transaction}", "/api/transaction/urn:uuid:{id}", "/api/transaction/{id}.json",
	"/api/transaction/{id}%00", "/api/transaction/%20{id}", "/api/transaction/{id}%20", "/api/transaction/{id}0", "/api/transaction/x{id}", "/api/transaction/.", "/api/transaction/..",
	"/api/transaction\\{id}", "/api/transactions/{id}/sessions", "/api/transaction/{id}/verifications", "/api/sfs/{id}", "/api/transactionx/{id}",
}

// Every address belongs to one operation or to none: no spelling of it bypasses the
// policy, and an unknown one does not reach the platform.
func noTrickGoesBy(t *testing.T, app *e2etest.App) {
	alice, bob := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	id := started(alice)
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	for _, trick := range pathTricks {
		path := strings.ReplaceAll(trick, "{id}", id)
		for _, c := range []*e2etest.Client{alice, bob} {
			if r := raw(c, "GET", path); r.Status != http.StatusNotFound || r.Text("key") != notFound {
				t.Errorf("%s: %d %s", path, r.Status, r.Body)
			}
		}
	}
	if asked := e2etest.Journal(t, app); len(asked) > 0 {
		t.Errorf("the platform was asked for %v", asked)
	}
	escaped := strings.Replace(id, id[:1], "%"+hex(id[0]), 1)
	for _, spelled := range []string{"transaction/" + strings.ToUpper(id), "transactions/" + id + "/", "%74ransaction/" + escaped} {
		if r := raw(alice, "GET", "/api/"+spelled); r.Status != http.StatusOK || r.Text("id") != id {
			t.Errorf("%s: %d %s", spelled, r.Status, r.Body)
		}
		if r := raw(bob, "GET", "/api/"+spelled); r.Status != http.StatusNotFound {
			t.Errorf("%s, an outsider: %d %s", spelled, r.Status, r.Body)
		}
	}
}

func hex(b byte) string { return string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15]) }

// A method that an address does not have is 405, with the allowed ones.
func methods(t *testing.T, app *e2etest.App) {
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	id := started(alice)
	for path, allow := range map[string]string{
		"/api/transaction/" + id:                "GET, HEAD",
		"/api/transactions/" + id + "/evidence": "GET, HEAD",
		"/api/transaction/" + id + "/token":     "POST",
		"/api/transaction/" + id + "/event":     "PUT",
		"/api/transactions/mark-for-erasure":    "POST",
		"/api/transaction":                      "GET, HEAD, POST, PUT",
	} {
		for _, method := range []string{"DELETE", "PATCH", "OPTIONS"} {
			if r := raw(alice, method, path); r.Status != http.StatusMethodNotAllowed || r.Header.Get("Allow") != allow {
				t.Errorf("%s %s: %d, Allow %q", method, path, r.Status, r.Header.Get("Allow"))
			}
		}
	}
}

// raw sends a request for a path as written: other clients normalise it.
func raw(c *e2etest.Client, method, path string) e2etest.Reply {
	c.T.Helper()
	conn, err := net.Dial("tcp", c.App.Host())
	if err != nil {
		c.T.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nConnection: close\r\n\r\n", method, path, c.App.Host(), c.Header.Get("Authorization"))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		c.T.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return e2etest.Reply{T: c.T, What: method + " " + path, Status: response.StatusCode, Header: response.Header, Body: body}
}
