package bench_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/e2e/e2etest"
)

// boundPeople is the number of people, each with a bound session and one that is not.
const boundPeople = 40

// BenchmarkBoundSession measures GET /users/me/authenticators in sessions that are bound
// to a key (ES256), against the same call in sessions that are not: cpu-ratio is the
// processor time of Countersign alone. Both are the same process, in turn.
func BenchmarkBoundSession(b *testing.B) {
	t := newBench(b)
	const path = "/users/me/authenticators"
	plain, bound := &side{name: "unbound", pid: t.Cmd.Process.Pid, address: t.address}, &side{name: "bound", pid: t.Cmd.Process.Pid, address: t.address}
	var keys []*dpop.Key
	var tokens []string
	for i := range boundPeople {
		user := fmt.Sprintf("bench%03d@sandbox", i)
		t.put(b, "users/"+user, fmt.Sprintf(`{"email":"bench%03d@bench.internal"}`, i))
		c := t.person(b).SignedIn(user)
		for range 2 {
			c.Register(e2etest.NewPasskey(t.app()))
		}
		plain.requests = append(plain.requests, request(path, "Authorization: "+c.Header.Get("Authorization")))
		key, token := t.boundTo(b, user)
		keys, tokens = append(keys, key), append(tokens, token)
		bound.requests = append(bound.requests, request(path, "Authorization: DPoP "+token))
	}
	bound.proven = func(place int, request []byte) []byte {
		proof, err := keys[place].Prove(dpop.Call{Method: "GET", URL: "http://" + publicHost + path, Token: tokens[place]}, time.Now())
		if err != nil {
			b.Error(err)
		}
		head := bytes.TrimSuffix(request, []byte("\r\n"))
		return append(slices.Clip(head), "DPoP: "+proof+"\r\n\r\n"...)
	}
	duel(b, askers, bound, plain)
}

// boundTo signs user in with a key of their own.
func (t *bench) boundTo(b *testing.B, user string) (*dpop.Key, string) {
	b.Helper()
	key, err := dpop.NewKey()
	if err != nil {
		b.Fatal(err)
	}
	path := "/users/" + user + "/login"
	proof, err := key.Prove(dpop.Call{Method: "POST", URL: "http://" + publicHost + path}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	r := t.person(b).Send("POST", path, `{"credentials":{"passKey":"Sandbox-1!"}}`, "DPoP", proof).Want(http.StatusOK)
	return key, r.Text("sessionToken")
}
