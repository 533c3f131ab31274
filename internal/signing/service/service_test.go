package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/config"
	"countersign/internal/events"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/sandbox"
	"countersign/internal/seal/sealtest"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/platform"
	"countersign/internal/signing/service"
	"countersign/internal/upstream"
)

// TestMain silences go-redis's global logger.
func TestMain(m *testing.M) {
	logging.Disable()
	os.Exit(m.Run())
}

// world is a Service over the sandbox and an embedded Redis, with what it reported.
type world struct {
	*service.Service
	t     *testing.T
	url   string
	ahead atomic.Int64 // how far the clock of all is ahead

	hints   []string
	journal accesstest.Journal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	server, err := sandbox.New(sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: w.now})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() { server.Close(); web.Close() })
	core, err := upstream.New(upstream.Options{Name: "signing", BaseURL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(core.Close)
	w.url = web.URL
	client, redis, secret := platform.New(core, nil), dbtest.Embedded(t).Client, accesstest.Key(7)
	keys := sealtest.Keys(secret)
	leases := redisdb.NewLeases(redis, secret, time.Minute)
	packages, err := index.New(index.Options{
		Redis: redis, Keys: keys, Platform: index.OfClient(client), Leases: leases, Sweep: time.Minute,
		Lookup: accesstest.Lookups(t, redis, "60/m"), Logger: slog.New(slog.DiscardHandler), Now: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Service = &service.Service{
		Platform: client, Index: packages, Revisions: events.Revisions{Redis: redis, Key: secret, Now: time.Now},
		Once:  idempotency.New(idempotency.Options{Redis: redis, Leases: leases, Keys: keys, Now: time.Now, CallTimeout: time.Minute}),
		Files: &service.Files{Dir: t.TempDir(), Now: time.Now},
		Sites: config.Hosts{core.URL().Host}, Proofs: &service.Proofs{Leases: leases},
		Hint: func(_ context.Context, topic string) { w.hints = append(w.hints, topic) },
	}
	return w
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *world) by(p access.Person) access.Actor {
	return access.Actor{
		Person: p, Session: "session of " + p.User, Journal: &w.journal,
	}
}

type object = map[string]any

// send makes a package of alice's with a signature for each of the addresses, whose turns
// are one after the other, and returns its id. Addresses with a comma between them share a role.
func (w *world) send(roleSigners ...string) string {
	w.t.Helper()
	roles, approvals := []object{}, []object{}
	for i, emails := range roleSigners {
		id, _, _ := strings.Cut(emails, "@")
		signers := []object{}
		for email := range strings.SplitSeq(emails, ",") {
			name, _, _ := strings.Cut(email, "@")
			signers = append(signers, object{"id": name, "email": email, "firstName": name, "lastName": "Signer"})
		}
		roles = append(roles, object{"id": id, "type": "SIGNER", "index": i + 1, "signers": signers})
		approvals = append(approvals, object{"role": id, "fields": []object{
			{"type": "SIGNATURE", "subtype": "FULLNAME", "page": 0, "left": 10, "top": 10, "width": 100, "height": 20},
		}})
	}
	var made struct{ ID string }
	w.manage("POST", "/api/packages", object{
		"name": "Lease", "status": "SENT", "roles": roles, "data": object{"countersign": object{"owner": accesstest.Alice().User}},
		"documents": []object{{"name": "Lease", "base64Content": leasePDF, "approvals": approvals}},
	}, &made)
	if made.ID == "" {
		w.t.Fatal("the package has no id")
	}
	return made.ID
}

// leasePDF is a PDF with one empty page, in base64.
const leasePDF = "JVBERi0xLjQKMSAwIG9iago8PC9UeXBlL0NhdGFsb2cvUGFnZXMgMiAwIFI+PgplbmRvYmoKMiAwIG9iago8PC9UeXBlL1BhZ2VzL0tpZHNbMyAwIFJdL0NvdW50IDE+PgplbmRvYmoKMyAwIG9iago8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCA2MTIgNzkyXT4+CmVuZG9iagp0cmFpbGVyCjw8L1Jvb3QgMSAwIFI+PgolJUVPRgo="

// manage makes a call of the sandbox, which must succeed.
func (w *world) manage(method, path string, body, into any) {
	w.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, bytes.NewReader(text))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		var said any
		_ = json.NewDecoder(answer.Body).Decode(&said)
		w.t.Fatalf("%s %s: %d %v", method, path, answer.StatusCode, said)
	}
	if into == nil {
		return
	}
	if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open(p access.Person, id string) service.Opened {
	w.t.Helper()
	o, err := w.Open(w.t.Context(), w.by(p), id)
	if err != nil {
		w.t.Fatalf("%s opens: %v", p.User, err)
	}
	return o
}

// wants compares the operations of audit events, each with the person on whose behalf.
func (w *world) wants(events ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.journal.Events {
		got = append(got, strings.TrimSpace(e.Operation+" "+e.OnBehalfOf))
	}
	if !slices.Equal(got, events) {
		w.t.Errorf("audit events %q, not %q", got, events)
	}
}

func TestOpen_OwnerSignerOperatorOutsider(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	id := w.send(accesstest.Bob().Email, "ada@corp.test")
	if o := w.open(accesstest.Alice(), id); !o.MayChange() || o.Visible.Name != "Lease" {
		t.Errorf("the owner opens %+v", o)
	}
	if o := w.open(accesstest.Bob(), id); o.MayChange() || strings.Contains(jsonOf(t, o.Visible), "ada@corp.test") {
		t.Errorf("a signer sees %s", jsonOf(t, o.Visible))
	}
	if o := w.open(accesstest.Carol(), id); !o.MayChange() {
		t.Error("an operator may change nothing")
	}
	outsider := access.Person{User: "mallory@sandbox", Email: "mallory@corp.test"}
	for _, id := range []string{id, "no-such-package", "..", ""} {
		if _, err := w.Open(ctx, w.by(outsider), id); !fault.Is(err, fault.RequestNotFound) {
			t.Errorf("an outsider opens %q: %v", id, err)
		}
	}
	if _, err := w.GrantToChange(ctx, w.by(accesstest.Bob()), id); !fault.Is(err, fault.SigningReadOnly) {
		t.Errorf("a signer changes: %v", err)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPackage_RemindAndCancel(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	id := w.send(accesstest.Bob().Email, "ada@corp.test")
	if err := w.Remind(ctx, w.by(accesstest.Bob()), w.open(accesstest.Bob(), id), ""); !fault.Is(err, fault.SigningReadOnly) {
		t.Errorf("a signer reminds: %v", err)
	}
	reminded := service.Reminded(w.open(accesstest.Alice(), id).Full)
	if len(reminded) != 1 || reminded[0].ID != "bob" {
		t.Errorf("reminded are %v, not bob alone, whose turn it is", reminded)
	}
	if err := w.Remind(ctx, w.by(accesstest.Carol()), w.open(accesstest.Carol(), id), ""); err != nil {
		t.Fatal(err)
	}
	w.wants("getPackage "+accesstest.Alice().User, "notifyRole "+accesstest.Alice().User) // an operator has read it
	for _, reason := range []string{"", " \t\n"} {
		err := w.Cancel(ctx, w.by(accesstest.Alice()), w.open(accesstest.Alice(), id), reason, "")
		if !fault.Is(err, fault.RequestInvalid) || fault.From(err).Fields[0].Pointer != "/reason" {
			t.Errorf("cancelled for the reason %q: %v", reason, err)
		}
	}
	if err := w.Cancel(ctx, w.by(accesstest.Bob()), w.open(accesstest.Bob(), id), "mine", ""); !fault.Is(err, fault.SigningReadOnly) {
		t.Errorf("a signer cancels: %v", err)
	}
	if err := w.Cancel(ctx, w.by(accesstest.Alice()), w.open(accesstest.Alice(), id), "wrong lease", ""); err != nil {
		t.Fatal(err)
	}
	w.wants("getPackage "+accesstest.Alice().User, "notifyRole "+accesstest.Alice().User, "declinePackage")
	if !slices.Equal(w.hints, []string{service.Topic(id)}) {
		t.Errorf("hints %q", w.hints)
	}
	g, err := w.Grant(ctx, w.by(accesstest.Alice()), id)
	if err != nil || g.Status != signing.StatusDeclined {
		t.Errorf("the index has %q, %v", g.Status, err)
	}
	again := w.open(accesstest.Alice(), id)
	if err := w.Cancel(ctx, w.by(accesstest.Alice()), again, "once more", ""); !fault.Is(err, fault.SigningState) {
		t.Errorf("cancelled twice: %v", err)
	}
	if err := w.Remind(ctx, w.by(accesstest.Alice()), again, ""); !fault.Is(err, fault.SigningState) {
		t.Errorf("reminded of a cancelled one: %v", err)
	}
}

func TestCopy_MadeOnce(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	o := w.open(accesstest.Alice(), w.send(accesstest.Bob().Email))
	first, err := w.Copy(ctx, w.by(accesstest.Alice()), o, service.Another{Name: "Copy", Once: "form 1"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Copy(ctx, w.by(accesstest.Alice()), o, service.Another{Name: "Copy", Once: "form 1"})
	if err != nil || again != first {
		t.Errorf("the same form copies to %q and %q, %v", first, again, err)
	}
	other, err := w.Copy(ctx, w.by(accesstest.Alice()), o, service.Another{Name: "Copy", Once: "form 2"})
	if err != nil || other == first {
		t.Errorf("another form copies to %q, %v", other, err)
	}
	w.wants("clonePackage", "clonePackage")
	if g, err := w.Grant(ctx, w.by(accesstest.Alice()), first); err != nil || g.Access != index.Owner || g.Status != signing.StatusDraft {
		t.Errorf("the copy is %+v, %v", g, err)
	}
	w.OperatorsCreate = true
	if _, err := w.Copy(ctx, w.by(accesstest.Alice()), o, service.Another{Name: "Copy", Once: "form 3"}); !fault.Is(err, fault.SigningOperatorsOnly) {
		t.Errorf("copied where operators alone create: %v", err)
	}
}

func TestOpenSigning_SignerLedToPlatform(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	id := w.send(accesstest.Bob().Email, accesstest.Alice().Email)
	_, address, err := w.OpenSigning(ctx, w.by(accesstest.Bob()), id)
	if err != nil || !strings.HasPrefix(address, w.url+"/auth?signerAuthenticationToken=") {
		t.Errorf("bob signs at %q, %v", address, err)
	}
	if _, address, err := w.OpenSigning(ctx, w.by(accesstest.Alice()), id); address != "" || err != nil {
		t.Errorf("alice, whose turn is later, signs at %q, %v", address, err)
	}
	if n, err := w.Waiting(ctx, accesstest.Bob()); err == nil && n != 1 {
		t.Errorf("%d packages wait for bob", n)
	}
}

// Each of a role's signers is asked to sign, and led there in their own name.
func TestOpenSigning_SeveralSignersOfRole(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	id := w.send(accesstest.Alice().Email + "," + accesstest.Bob().Email)
	for _, p := range []access.Person{accesstest.Alice(), accesstest.Bob()} {
		if n, err := w.Waiting(ctx, p); err == nil && n != 1 {
			t.Errorf("%d packages wait for %s", n, p.User)
		}
		if _, address, err := w.OpenSigning(ctx, w.by(p), id); err != nil || address == "" {
			t.Errorf("%s signs at %q, %v", p.User, address, err)
		}
	}
	if _, address, err := w.OpenSigning(ctx, w.by(accesstest.Carol()), id); err != nil || address != "" {
		t.Errorf("carol, who is no signer, signs at %q, %v", address, err)
	}
}

// What an operator changes is recorded with its owner, of whom the index hears only then.
func TestOperator_ChangesRecordedWithOwner(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	id, other := w.send(accesstest.Bob().Email), w.send(accesstest.Bob().Email)
	w.Done(ctx, w.by(accesstest.Carol()), service.Change{Operation: "updatePackage", Package: id, Effect: service.Changed})
	w.manage(http.MethodDelete, "/api/packages/"+id, object{}, nil)
	w.Done(ctx, w.by(accesstest.Carol()), service.Change{Operation: "deletePackage", Package: id, Effect: service.Deleted})
	w.Done(ctx, w.by(accesstest.Alice()), service.Change{Operation: "updatePackage", Package: other, Effect: service.Changed})
	// the platform's callback may be faster than its answer: then the index has forgotten it.
	w.manage(http.MethodDelete, "/api/packages/"+other, object{}, nil)
	w.Refresh(ctx, w.by(accesstest.Carol()), other)
	w.Done(ctx, w.by(accesstest.Carol()), service.Change{Operation: "deletePackage", Package: other, Effect: service.Deleted, Owner: accesstest.Alice().User})
	of := " " + accesstest.Alice().User
	w.wants("updatePackage"+of, "deletePackage"+of, "updatePackage", "deletePackage"+of)
}

func TestCustomField_OperatorsOnly(t *testing.T) {
	w, ctx := newWorld(t), t.Context()
	field := signing.CustomField{ID: "number", Value: "1", Translations: []signing.CustomFieldTranslation{{Language: "en", Name: "Number"}}}
	for _, err := range []error{
		w.SaveCustomField(ctx, w.by(accesstest.Alice()), field, false), w.DeleteCustomField(ctx, w.by(accesstest.Alice()), "number"),
	} {
		if !fault.Is(err, fault.SigningOperatorsOnly) {
			t.Errorf("alice changes a custom field: %v", err)
		}
	}
	if err := w.SaveCustomField(ctx, w.by(accesstest.Carol()), field, false); err != nil {
		t.Fatal(err)
	}
	if err := w.DeleteCustomField(ctx, w.by(accesstest.Carol()), "number"); err != nil {
		t.Fatal(err)
	}
	w.wants("createCustomField", "deleteCustomField")
}
