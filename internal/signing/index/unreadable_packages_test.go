package index_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// lying is a platform whose packages are arbitrary texts; "" cannot be read.
type lying struct {
	mu       sync.Mutex
	packages map[string]string
	hides    error // the error of each visibility
}

func (l *lying) Package(_ context.Context, id string) (signing.Package, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch text, there := l.packages[id]; {
	case !there:
		return signing.Package{}, fault.New(fault.RequestNotFound)
	case text == "":
		return signing.Package{}, upstream.Unreadable(errors.New("no JSON"))
	default:
		p, err := signing.ReadPackage(jsontext.Value(text))
		if err != nil {
			err = upstream.Unreadable(err)
		}
		return p, err
	}
}

func (l *lying) Visibility(context.Context, string) (map[string][]string, error) { return nil, l.hides }

func (l *lying) Packages(_ context.Context, q signing.Query) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if q.Type != "" || q.Folder != "" {
			return
		}
		for _, text := range l.packages {
			if value := jsontext.Value(text); len(value) == 0 && !yield(nil, nil) || len(value) > 0 && !yield(value, nil) {
				return
			}
		}
	}
}

func (l *lying) Count(_ context.Context, q signing.Query) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.Type != "" || q.Folder != "" {
		return 0, nil
	}
	return len(l.packages), nil
}

// say sets the text of a package; gone removes it.
func (l *lying) say(id, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.packages[id] = text
}

// of returns a package of Alice's for Bob, with further members.
func of(id, more string) string {
	return fmt.Sprintf(`{"id":%q,"name":"Loan %s","status":"SENT","created":"2030-01-01T00:00:00Z","updated":"2030-01-01T00:00:00Z",`+
		`"roles":[{"id":"r","signers":[{"id":"s","email":%q}]}],"data":{"countersign":{"owner":%q}}%s}`, id, id, bob.Email, alice.User, more)
}

// notes collects the packages that an index has logged as unreadable.
type notes struct {
	slog.Handler
	mu  sync.Mutex
	ids []string
}

func (n *notes) take(o *index.Options) {
	n.Handler = slog.DiscardHandler
	o.UnreadableLog = signingapi.NewUnreadableLog(slog.New(n))
}

func (n *notes) Enabled(context.Context, slog.Level) bool { return true }

func (n *notes) Handle(_ context.Context, r slog.Record) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "package" {
			n.ids = append(n.ids, a.Value.String())
		}
		return true
	})
	return nil
}

// noise returns a text that cannot be deflated.
func noise(length int) string {
	out := make([]byte, length)
	for i := range out {
		out[i] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[rand.IntN(64)]
	}
	return string(out)
}

// A record never has more than 16 KiB, whatever the package, and its people find it.
func TestRecord_MaximumSize(t *testing.T) {
	t.Parallel()
	many := func(of string, count int) string {
		parts := make([]string, count)
		for i := range parts {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(of, "#", fmt.Sprint(i)), "~", noise(60))
		}
		return strings.Join(parts, ",")
	}
	for name, more := range map[string]string{
		"a long description": `,"description":"` + noise(64<<10) + `"`,
		"a long text":        `,"description":"` + strings.Repeat("x", 15<<20) + `"`,
		"deep data":          `,"deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"a long name":        `,"language":"` + noise(64<<10) + `","due":"` + noise(64<<10) + `"`,
		"many documents":     `,"documents":[` + many(`{"id":"~","name":"~"}`, 3000) + `]`,
		"many messages":      `,"messages":[` + many(`{"content":"~"}`, 3000) + `]`,
		"a long sender":      `,"sender":{"email":"` + noise(64<<10) + `","firstName":"` + noise(64<<10) + `"}`,
		"a long status":      `,"type":"` + noise(64<<10) + `"`,
		"a person twice":     `,"sender":{"email":"x","email":"y"},"description":"` + noise(64<<10) + `"`,
	} {
		t.Run(name, func(t *testing.T) {
			client, seen := redistest.Start(t).Client(), &notes{}
			x := node(t, client, &lying{packages: map[string]string{"p": of("p", more), "q": of("q", "")}}, seen.take)
			for range 2 {
				if err := x.SweepNow(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			bounded(t, client)
			if strings.Contains(name, "status") {
				return // it has another type
			}
			for _, person := range []access.Person{alice, bob} {
				page, err := x.List(t.Context(), person, index.Query{From: 1, To: 10})
				if err != nil || page.Count != 2 || len(page.Items) != 2 {
					t.Fatalf("%s: %d of %d, %v", person.User, len(page.Items), page.Count, err)
				}
				for _, item := range page.Items {
					if !item.Package.IsValid() || !strings.Contains(string(item.Package), bob.Email) {
						t.Errorf("%s is shown %.300s", person.User, item.Package)
					}
				}
			}
			if !slices.Equal(seen.ids, []string{"p"}) {
				t.Errorf("named: %v", seen.ids)
			}
		})
	}
}

// With thousands of people, for whom the record has no room, the owner finds the package in
// lists, and for the others the platform is asked.
func TestRecord_TooManyUsers(t *testing.T) {
	t.Parallel()
	var roles []string
	for i := range 3000 {
		roles = append(roles, fmt.Sprintf(`{"id":"r%d","signers":[{"id":"s%d","email":"%s%d@corp.test","firstName":%q}]}`, i, i, noise(40), i, noise(50)))
	}
	last := access.Person{User: "last@sandbox", Email: "last@corp.test"}
	roles = append(roles, fmt.Sprintf(`{"id":"last","signers":[{"id":"l","email":%q}]}`, last.Email))
	client := redistest.Start(t).Client()
	text := strings.Replace(of("p", `,"documents":[{"id":"d"}]`), `"roles":[`, `"roles":[`+strings.Join(roles, ",")+`,`, 1)
	p := &lying{packages: map[string]string{"p": text}}
	x := node(t, client, p)
	for range 2 {
		if err := x.SweepNow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	bounded(t, client)
	if g, err := x.Grant(t.Context(), last, "session", "p"); err != nil || g.Access != index.Signer || !slices.Equal(g.Roles, []string{"last"}) {
		t.Errorf("the last of them: %+v, %v", g, err)
	}
	if page, err := x.List(t.Context(), alice, index.Query{From: 1, To: 10}); err != nil || page.Count != 1 {
		t.Errorf("the owner: %+v, %v", page, err)
	}
	denied(t, x, access.Person{User: "eve@sandbox", Email: "eve@corp.test"}, "p")
}

// A list reads a package that has no room in its record by its id, for each person as they may
// see it now; where that fails, the others are listed.
func TestList_ReadsLongPackageByID(t *testing.T) {
	t.Parallel()
	long := `,"documents":[{"id":"d"}],"description":"` + noise(64<<10) + `"`
	p, seen := &lying{packages: map[string]string{"p": of("p", long), "q": of("q", "")}}, &notes{}
	x := node(t, dbtest.Embedded(t).Client, p, seen.take)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	lists := func(person access.Person, want string) {
		t.Helper()
		for _, q := range []index.Query{{}, {Sort: "name", Ascending: true}} {
			q.From, q.To = 1, 10
			page, err := x.List(t.Context(), person, q)
			var got []string
			for _, item := range page.Items {
				got = append(got, strings.Fields(description(t, item.Package))[1])
			}
			if slices.Sort(got); err != nil || strings.Join(got, " ") != want {
				t.Errorf("%s has %q, want %q, %v", person.User, got, want, err)
			}
		}
	}
	lists(alice, "p q")
	lists(bob, "p q")
	p.say("p", strings.Replace(of("p", long), bob.Email, "eve@corp.test", 1))
	lists(bob, "q")
	lists(alice, "p q")
	p.say("p", "")
	lists(alice, "q")
	if !slices.Contains(seen.ids, "p") {
		t.Errorf("named: %v", seen.ids)
	}
}

// bounded checks that no record has more than 16 KiB.
func bounded(t *testing.T, client redis.Cmdable) {
	t.Helper()
	records := 0
	redistest.EachKey(t, client, func(ctx context.Context, node redis.Cmdable, key string) {
		if !strings.HasSuffix(key, ":records") {
			return
		}
		values, err := node.HGetAll(ctx, key).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			if records++; len(value) > 16<<10 {
				t.Errorf("a record has %d bytes", len(value))
			}
		}
	})
	if records == 0 {
		t.Error("there are no records")
	}
}

// A package that can no longer be read stays as it was, in sweeps, callbacks and full
// sweeps, and the others go on.
func TestPackage_UnreadableStays(t *testing.T) {
	t.Parallel()
	p := &lying{packages: map[string]string{"p": of("p", ""), "q": of("q", "")}}
	client, seen := dbtest.Embedded(t).Client, &notes{}
	at := &clock{}
	x := node(t, client, p, seen.take)
	run := func() {
		t.Helper()
		if err := x.SweepNow(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run()
	p.say("p", "")
	p.say("r", "")
	p.say("q", of("q", `,"description":"New"`))
	for _, id := range []string{"p", "q", "r"} {
		if err := x.Callback(t.Context(), event("X", id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.ProcessCallbacksNow(t.Context()); err != nil {
		t.Errorf("working callbacks off: %v", err)
	}
	if got := names(t, x, alice, index.Query{Search: "new"}); got != "Loan q" {
		t.Errorf("the other one: %q", got)
	}
	if err := x.Refresh(t.Context(), "p"); !upstream.IsUnreadable(err) {
		t.Errorf("a refresh: %v", err)
	}
	run()
	if page, err := x.List(t.Context(), bob, index.Query{From: 1, To: 10}); err != nil || page.Count != 2 || len(page.Items) != 2 {
		t.Errorf("the list has %d, %v", page.Count, err)
	}
	redistest.Flush(t, client)
	x = node(t, client, p, seen.take)
	run()
	if got := names(t, x, bob, index.Query{}); got != "Loan q" {
		t.Errorf("built again it is %q", got)
	}
	p.mu.Lock()
	delete(p.packages, "q") // only the count shows that
	p.mu.Unlock()
	x = node(t, client, p, seen.take, func(o *index.Options) { o.Sweep, o.Now = 1, at.now })
	for range 2 {
		run()
		at.advance(2 * time.Minute)
	}
	if got := names(t, x, bob, index.Query{}); got != "" {
		t.Errorf("what went is still there: %q", got)
	}
}

// If the platform does not answer who sees a package's documents, a signer has the
// package on their list without documents.
func TestVisibility_Unreadable(t *testing.T) {
	t.Parallel()
	p := &lying{packages: map[string]string{"p": of("p", `,"documents":[{"id":"d"}]`)}, hides: upstream.Unreadable(errors.New("no JSON"))}
	x := node(t, dbtest.Embedded(t).Client, p)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := x.List(t.Context(), bob, index.Query{From: 1, To: 10})
	if err != nil || len(page.Items) != 1 || page.Items[0].Grant.Sees("d") {
		t.Errorf("%+v, %v", page, err)
	}
}

// A package of which the platform refuses to say who sees what is changed: the sweep goes on,
// its owner has it, and its signers have it on their list and see no document.
func TestWrote_VisibilityRefused(t *testing.T) {
	t.Parallel()
	client := dbtest.Embedded(t).Client
	l := &lying{packages: map[string]string{"p": of("p", `,"documents":[{"id":"d"}]`), "q": of("q", "")}, hides: fault.New(fault.SigningRefused)}
	x := node(t, client, l)
	if err := x.SweepNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.RecordWrite(t.Context(), index.PackageWrite{Package: "p", By: alice}); err != nil {
		t.Fatal(err)
	}
	l.say("p", of("p", `,"documents":[{"id":"d"}],"description":"changed"`))
	if err := x.SweepNow(t.Context()); err != nil {
		t.Errorf("one package ends the sweep: %v", err)
	}
	for _, person := range []access.Person{alice, bob} {
		if g, err := x.Grant(t.Context(), person, "session", "p"); (err == nil && g.Sees("d")) != (person == alice) {
			t.Errorf("%s: %+v, %v", person.User, g, err)
		}
		if got := names(t, x, person, index.Query{}); !strings.Contains(got, "Loan p") {
			t.Errorf("%s is shown %q", person.User, got)
		}
	}
}
