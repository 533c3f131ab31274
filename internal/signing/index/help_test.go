package index_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"countersign/internal/access/accesstest"
	"countersign/internal/redisdb"
	"countersign/internal/sandbox"
	"countersign/internal/seal/sealtest"
	"countersign/internal/signing/index"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// TestMain silences go-redis's one logger before the tests run side by side. Random tests ask a
// platform and two Redis each time: -rapid.checks=1000 looks longer.
func TestMain(m *testing.M) {
	logging.Disable()
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var alice, bob, carol = accesstest.Alice(), accesstest.Bob(), accesstest.Carol()

// platform is a sandbox behind the signing client, adapted to the index like in the program.
type platform struct {
	index.Platform
	t   testing.TB
	url string
}

// startPlatform starts a platform, behind fronts if there are any.
func startPlatform(t testing.TB, fronts ...func(http.Handler) http.Handler) platform {
	t.Helper()
	server, err := sandbox.New(sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	handler := http.Handler(server)
	for _, front := range fronts {
		handler = front(handler)
	}
	web := httptest.NewServer(handler)
	t.Cleanup(func() { server.Close(); web.Close() })
	client, err := upstream.New(upstream.Options{Name: "signing", BaseURL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return platform{Platform: index.OfClient(signingapi.New(client, nil)), t: t, url: web.URL}
}

// send makes a call of the platform, which must succeed, and returns the response's body.
func (p platform) send(method, path string, body any) []byte {
	p.t.Helper()
	status, out := p.try(method, path, body)
	if status >= http.StatusBadRequest {
		p.t.Fatalf("%s %s: %d %s", method, path, status, out)
	}
	return out
}

// try makes a call of the platform.
func (p platform) try(method, path string, body any) (int, []byte) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer.StatusCode, out
}

type object = map[string]any

// create makes a package and returns its id.
func (p platform) create(members object) string {
	p.t.Helper()
	var made struct{ ID string }
	if err := json.Unmarshal(p.send("POST", "/api/packages", members), &made); err != nil || made.ID == "" {
		p.t.Fatal("no id", err)
	}
	return made.ID
}

// path returns a package's path.
func path(id string) string { return "/api/packages/" + strings.ReplaceAll(id, "=", "%3D") }

// sent returns a package of owner's that was sent to signers with these addresses.
func sent(name, owner string, signers ...string) object {
	roles := []object{}
	for _, email := range signers {
		id, _, _ := strings.Cut(email, "@")
		id = strings.ToLower(id)
		roles = append(roles, object{"id": id, "type": "SIGNER", "signers": []object{
			{"id": id, "email": email, "firstName": id, "lastName": "Signer"},
		}})
	}
	out := object{"name": name, "status": "SENT", "roles": roles}
	if owner != "" {
		out["data"] = object{"countersign": object{"owner": owner}}
	}
	return out
}

// calls returns the operations that the platform was asked for since the last call of
// calls.
func (p platform) calls() []string {
	p.t.Helper()
	var journal struct {
		Entries []struct{ Operation string }
	}
	if err := json.Unmarshal(p.send("GET", "/_manage/journal", nil), &journal); err != nil {
		p.t.Fatal(err)
	}
	p.send("DELETE", "/_manage/journal", nil)
	out := []string{}
	for _, entry := range journal.Entries {
		out = append(out, entry.Operation)
	}
	return out
}

// node returns an index as one node has it.
func node(t testing.TB, client redis.Cmdable, p index.Platform, change ...func(*index.Options)) *index.Index {
	t.Helper()
	secret := []byte("of the tests")
	o := index.Options{
		Redis: client, Keys: sealtest.Keys(accesstest.Key(1)), Platform: p,
		Leases: redisdb.NewLeases(client, secret, time.Minute), Lookup: accesstest.Lookups(t, client, "60/m"),
		Sweep: time.Minute, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Now: time.Now,
	}
	for _, one := range change {
		one(&o)
	}
	x, err := index.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// clock is ahead of the real one.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) advance(over time.Duration) { c.ahead.Add(int64(over)) }

// by makes a node take the time from the clock.
func (c *clock) by(o *index.Options) { o.Now = c.now }

// description returns a package's name and description.
func description(t testing.TB, value []byte) string {
	t.Helper()
	var p struct{ Name, Description string }
	if err := json.Unmarshal(value, &p); err != nil {
		t.Fatal(err)
	}
	return p.Name + " " + p.Description
}
