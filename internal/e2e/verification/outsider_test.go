package verification_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// of makes the request of o for a transaction.
func (o operation) of(c *e2etest.Client, id string) e2etest.Reply {
	c.T.Helper()
	return c.Send(o.method, "/api"+strings.ReplaceAll(o.path, "{id}", id), o.body)
}

// once matches the parts of an answer that differ each time.
var once = regexp.MustCompile(`nonce-[^']+|nonce="[^"]*"`)

// toldOf returns an answer about a transaction, without its individual parts.
func toldOf(r e2etest.Reply, id string) string {
	own := r.Header.Get("X-Request-Id")
	header := r.Header.Clone()
	header.Del("X-Request-Id")
	header.Del("Date")
	var all bytes.Buffer
	fmt.Fprintln(&all, r.Status)
	_ = header.Write(&all)
	all.Write(r.Body)
	return once.ReplaceAllString(strings.NewReplacer(own, "", id, "ID").Replace(all.String()), "")
}

// An outsider to a transaction gets the same answer as for an unknown id, byte for byte,
// from every operation and page, in every spelling of the id.
func outsidersLearnNothing(t *testing.T, app *e2etest.App) {
	alice, bob, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox"), operator(t, app)
	id := withDocument(alice)
	nobody := e2etest.Program(t, app)
	for _, o := range operations {
		if known, unknown := toldOf(o.of(nobody, id), id), toldOf(o.of(nobody, unknownID), unknownID); known != unknown || !strings.HasPrefix(known, "401") {
			t.Errorf("%s %s, signed out: %s\nbut %s", o.method, o.path, known, unknown)
		}
		people := []*e2etest.Client{bob}
		if o.operator == notFound {
			people = append(people, carol)
		}
		for _, c := range people {
			unknown := toldOf(o.of(c, unknownID).Want(http.StatusNotFound), unknownID)
			for _, spelled := range []string{id, strings.ToUpper(id)} {
				if known := toldOf(o.of(c, spelled), spelled); known != unknown {
					t.Errorf("%s %s: %s\nbut %s", o.method, o.path, known, unknown)
				}
			}
		}
	}
	alice.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK) // nothing was cancelled
}

// Outsiders learn as little on the pages.
func outsidersSeeNothing(t *testing.T, app *e2etest.App) {
	id := started(e2etest.Program(t, app).SignedIn("alice@sandbox"))
	ask := map[string]func(c *e2etest.Client, id string) e2etest.Reply{
		"page": func(c *e2etest.Client, id string) e2etest.Reply { return c.Page("/verifications/" + id) },
		"question": func(c *e2etest.Client, id string) e2etest.Reply {
			return c.Page("/verifications/" + id + "?ask=cancel")
		},
		"continue": func(c *e2etest.Client, id string) e2etest.Reply { return c.Page("/verifications/" + id + "/continue") },
		"cancel": func(c *e2etest.Client, id string) e2etest.Reply {
			return c.Post("/verifications/"+id, "action", "cancel")
		},
		"erase": func(c *e2etest.Client, id string) e2etest.Reply {
			return c.Post("/verifications/"+id, "action", "erase")
		},
		"take back": func(c *e2etest.Client, id string) e2etest.Reply {
			return c.Post("/verifications/"+id, "action", "take-back")
		},
		"no action":  func(c *e2etest.Client, id string) e2etest.Reply { return c.Post("/verifications/"+id, "action", "x") },
		"the stream": func(c *e2etest.Client, id string) e2etest.Reply { return c.Page("/verifications/" + id + "/events") },
	}
	bob, nobody := e2etest.Browser(t, app).SignedIn("bob@sandbox"), e2etest.Browser(t, app)
	for name, ask := range ask {
		if known, unknown := toldOf(ask(bob, id).Want(http.StatusNotFound), id), toldOf(ask(bob, unknownID), unknownID); known != unknown {
			t.Errorf("%s: %s\nbut %s", name, known, unknown)
		}
		if known, unknown := toldOf(ask(nobody, id), id), toldOf(ask(nobody, unknownID), unknownID); known != unknown {
			t.Errorf("%s, signed out: %s\nbut %s", name, known, unknown)
		}
	}
}

// A person is the same in every spelling of their name at sign-in.
func TestStarter_AnotherSpelling(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_LOOKUP=off")
	id := started(e2etest.Program(t, app).SignedIn("alice@sandbox"))
	again := e2etest.Program(t, app).SignedIn("ALICE@Sandbox")
	if body := string(again.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK).Body); !strings.Contains(body, `"accessUrl"`) {
		t.Errorf("the starter has no tokens: %s", body)
	}
	again.Send("POST", "/api/transaction/"+id+"/token", map[string]any{"role": "customer"}).Want(http.StatusOK)
	kept := e2etest.Boot(t, "RATE_LOOKUP=off", "USER_CASE=keep")
	id = started(e2etest.Program(t, kept).SignedIn("alice@sandbox"))
	e2etest.Manage(t, kept, "PUT", "/users/Alice@sandbox", map[string]any{"passKey": "Sandbox-1!"})
	e2etest.Program(t, kept).SignedIn("Alice@sandbox").Send("GET", "/api/transaction/"+id, nil).Refused(http.StatusNotFound, notFound)
}

// Erasure does not distinguish another person's id from an unknown one either, and passes
// on neither.
func TestErasure_ForeignID(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "RATE_LOOKUP=off", "IDV_ERASURE=starter")
	own, foreign := e2etest.Program(t, app).SignedIn("bob@sandbox"), started(e2etest.Program(t, app).SignedIn("alice@sandbox"))
	mine := started(own)
	for path, want := range map[string]struct{ member, unknown, accepted string }{
		"/api/transactions/mark-for-erasure":   {"marking_event", "Transaction Erase Request - ID field error", "Transaction Erase Request - Accepted"},
		"/api/transactions/unmark-for-erasure": {"unmarking_event", "Transaction Recovery - Transaction Not Found", "Transaction Recovery - Accepted"},
	} {
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		told := erased(t, own.Send("POST", path, erasing(foreign, unknownID)).Want(http.StatusOK))
		if slices.ContainsFunc(e2etest.Journal(t, app), func(o string) bool { return strings.HasSuffix(o, "markForErasure") }) {
			t.Errorf("%s: the platform was asked without need", path)
		}
		if len(told) != 2 || told[0]["transaction_id"] != foreign || told[1]["transaction_id"] != unknownID ||
			told[0][want.member] != want.unknown || told[1][want.member] != want.unknown || told[0]["message"] != told[1]["message"] {
			t.Errorf("%s: %v", path, told)
		}
		told = erased(t, own.Send("POST", path, erasing(unknownID, mine, foreign)).Want(http.StatusOK))
		if len(told) != 3 || told[1][want.member] != want.accepted || told[2][want.member] != want.unknown {
			t.Errorf("%s: %v", path, told)
		}
	}
}

// erased returns the answer's entry for each transaction.
func erased(t *testing.T, r e2etest.Reply) []map[string]string {
	t.Helper()
	var said struct{ Transactions []map[string]string }
	if err := json.Unmarshal(r.Body, &said); err != nil {
		t.Fatal(err)
	}
	return said.Transactions
}
