package signing_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// warnings is the log of an App.
type warnings struct {
	mu  sync.Mutex
	log bytes.Buffer
}

// Write takes a line.
func (w *warnings) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

// of returns the number of warnings that contain text.
func (w *warnings) of(text string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, "level=WARN") && strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// nested returns JSON of that many levels.
func nested(levels int) json.RawMessage {
	return json.RawMessage(strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels))
}

// One package that the platform itself cannot list stops neither lists nor exports nor
// sweeps, and is named in the log once.
func TestOneDeepPackageStopsNothing(t *testing.T) {
	t.Parallel()
	server, log := redistest.Start(t), &warnings{}
	app := e2etest.BootTo(t, log, "REDIS_URL="+server.URL(), "SIGNING_SWEEP=1s",
		"ACCESS_KEYS="+strings.Repeat("01", 31)+"02", "SESSION_KEYS="+strings.Repeat("03", 31)+"04")
	alice, bob, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
	indexed(alice)
	var others []string
	for range 3 {
		others = append(others, create(alice, sentTo("bob@sandbox.example")))
	}
	deep := sentTo("bob@sandbox.example")
	deep["data"] = nested(9998)
	id := atThePlatform(t, app, "POST", "/api/packages", deep)
	for range 9 {
		others = append(others, create(alice, sentTo("bob@sandbox.example")))
	}
	slices.Reverse(others)

	if p := list(carol, "from=1&to=100"); p.Count != 13 || !slices.Equal(p.ids(), others) {
		t.Errorf("the account has %d: %v", p.Count, p.ids())
	}
	if got := export(t, carol, ""); !slices.Equal(got, others) {
		t.Errorf("the export has %v", got)
	}
	if r := carol.Send("GET", exportPath+"?format=csv", nil).Want(http.StatusOK); strings.Count(string(r.Body), "\r\n") != 13 {
		t.Errorf("as CSV: %s", r.Body)
	}
	carol.Send("GET", packages+"?from=10&to=10", nil).Refused(http.StatusBadGateway, "platform.failed") // contains only the deep one
	redistest.EachKey(t, server.Client(), func(ctx context.Context, node *redis.Client, key string) {
		if strings.HasPrefix(key, "access:") {
			node.Del(ctx, key)
		}
	})
	e2etest.Eventually(t, "the lists are there again", func() bool {
		mine, whole := ownList(alice)
		theirs, wholeToo := ownList(bob)
		theirs = slices.DeleteFunc(theirs, func(one string) bool { return one == id })
		return whole && wholeToo && slices.Equal(mine, others) && slices.Equal(theirs, others)
	})
	if n := log.of(id); n != 1 {
		t.Errorf("%d warnings name the package:\n%s", n, log.log.String())
	}
	if n := log.of("behind"); n != 0 {
		t.Errorf("the index is behind:\n%s", log.log.String())
	}
}

// liar is a platform with packages of any text.
type liar struct {
	mu       sync.Mutex
	packages []string          // the newest first
	byID     map[string]string // answers to a GET by id
	breaks   map[int]string    // answers to windows that contain the position, from 0; "" is a 500
	asked    int               // calls of the listing
	plain    bool              // does not know fields=id
	single   bool              // serves by its id a package that breaks a window
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	q, id := r.URL.Query(), strings.TrimPrefix(r.URL.Path, packages+"/")
	switch {
	case strings.HasSuffix(id, "/visibility"):
		fmt.Fprint(w, `{"configurations":[]}`)
	case r.URL.Path != packages && l.byID[id] != "":
		if _, is := l.breaks[slices.Index(ids(len(l.packages)), id)]; is && !l.single {
			fmt.Fprint(w, l.byID[id][:20])
			return
		}
		fmt.Fprint(w, l.byID[id])
	case r.URL.Path != packages:
		w.WriteHeader(http.StatusNotFound)
	case q.Get("type") != "" && q.Get("type") != "PACKAGE", q.Get("query") == "trashed":
		fmt.Fprint(w, `{"count":0,"results":[]}`)
	default:
		from, _ := strconv.Atoi(q.Get("from"))
		to, _ := strconv.Atoi(q.Get("to"))
		l.list(w, from-1, min(to, len(l.packages)), q.Get("fields") == "id" && !l.plain)
	}
}

func (l *liar) list(w http.ResponseWriter, from, to int, idsOnly bool) {
	l.asked++
	var results []string
	for i := from; i < to; i++ {
		if broken, is := l.breaks[i]; is && !idsOnly {
			if broken == "" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			fmt.Fprint(w, broken)
			return
		}
		if idsOnly {
			results = append(results, fmt.Sprintf(`{"id":"p%d"}`, i))
		} else {
			results = append(results, l.packages[i])
		}
	}
	fmt.Fprintf(w, `{"count":%d,"results":[%s]}`, len(l.packages), strings.Join(results, ","))
}

// calls returns the number of calls of the listing since the last time.
func (l *liar) calls() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.asked
	l.asked = 0
	return n
}

// text returns a package of Alice's for Bob, with additional members.
func (l *liar) text(i int, more string) string {
	return fmt.Sprintf(`{"id":"p%d","name":"Package %d","status":"SENT","type":"PACKAGE","created":"2030-01-01T00:00:%02dZ","updated":"2030-01-01T00:00:00Z",`+
		`"roles":[{"id":"r","signers":[{"id":"s","email":"bob@sandbox.example","firstName":"Bob"}]}],"data":{"countersign":{"owner":"alice@sandbox"}}%s}`, i, i, 59-i%60, more)
}

// startLiar starts the program in front of a liar with that many packages, of which odd
// are replaced.
func startLiar(t *testing.T, count int, odd map[int]string) (*e2etest.App, *liar, *warnings) {
	t.Helper()
	l, log := &liar{byID: map[string]string{}, breaks: map[int]string{}}, &warnings{}
	for i := range count {
		text := l.text(i, "")
		if other, is := odd[i]; is {
			text = other
		}
		l.packages, l.byID[fmt.Sprint("p", i)] = append(l.packages, text), text
	}
	server := httptest.NewServer(l)
	app := e2etest.BootTo(t, log, "SIGNING_URL="+server.URL, "SIGNING_SWEEP=1h")
	t.Cleanup(server.Close)
	return app, l, log
}

// ids returns p0 to the one before count, without some.
func ids(count int, without ...int) (all []string) {
	for i := range count {
		if !slices.Contains(without, i) {
			all = append(all, fmt.Sprint("p", i))
		}
	}
	return all
}

// A package with any members is listed, exported and swept.
func TestOddPackagesAreListed(t *testing.T) {
	t.Parallel()
	l := &liar{}
	odd := map[int]string{
		1:  `{"id":"p1","name":7,"status":["SENT"],"type":{},"roles":{},"documents":"x","sender":[],"created":1,"updated":true,"data":"x"}`,
		2:  `{"id":"p2","name":null,"status":"SENT","roles":[{"id":1,"signers":null},null,7,{"id":"r","signers":[1,{"email":"bob@sandbox.example","id":"s"}]}],"data":{"countersign":{"owner":"alice@sandbox"}}}`,
		3:  strings.Replace(l.text(3, ""), "Package 3", "Latin \xe9", 1),
		4:  strings.Replace(l.text(4, ""), "Package 4", `Half \ud800`, 1),
		5:  strings.Replace(l.text(5, ""), `"name":`, `"name":"twice","name":`, 1),
		6:  l.text(6, `,"deep":`+string(nested(5000))),
		7:  l.text(7, `,"description":"`+strings.Repeat("x", 2<<20)+`"`),
		8:  l.text(8, `,"documents":[{"id":"d","approvals":{"a":1}},7]`),
		10: strings.Replace(l.text(10, ""), `"signers":`, `"attachmentRequirements":[7,{"required":"x","status":7,"files":{"a":1}}],"signers":`, 1),
		11: strings.Replace(l.text(11, ""), `"signers":`, `"attachmentRequirements":"x","signers":`, 1),
		9:  `{"id":"p9","name":"A\u0000B","status":"SENT","due":7,"completed":{},"description":[],"roles":[{"id":"r","signers":{"email":"x"}}]}`,
	}
	app, _, log := startLiar(t, 12, odd)
	as := func(user string) *e2etest.Client { return e2etest.Program(t, app).SignedIn(user + "@sandbox") }
	alice, bob, carol := as("alice"), as("bob"), as("carol")
	indexed(alice)
	if p := list(carol, "from=1&to=100"); p.Count != 12 || !slices.Equal(p.ids(), ids(12)) || strings.ContainsRune(p.body, '\xe9') {
		t.Errorf("the account has %d: %v", p.Count, p.ids())
	}
	if got := exportedLong(t, carol, "format=ndjson"); !slices.Equal(got, ids(12)) {
		t.Errorf("the export has %v", got)
	}
	r := carol.Send("GET", exportPath+"?format=csv", nil).Want(http.StatusOK)
	if records, err := csv.NewReader(bytes.NewReader(r.Body)).ReadAll(); err != nil || len(records) != 13 {
		t.Errorf("as CSV %d records, %v", len(records), err)
	}
	for name, c := range map[string]*e2etest.Client{"alice": alice, "bob": bob} {
		for _, query := range []string{"", "&sort=name&dir=asc", "&search=a", "&predefined=all"} {
			got := list(c, "from=1&to=100"+query)
			if query != "&search=a" && (got.Count != 10 || len(got.Results) != 10) {
				t.Errorf("%s %q has %d: %v", name, query, got.Count, got.ids())
			}
		}
		if page := c.Page("/packages?tab=sent").Want(http.StatusOK); name == "alice" && !strings.Contains(string(page.Body), "twice") && !strings.Contains(string(page.Body), "Package 5") {
			t.Errorf("the page of %s: %s", name, page.Body)
		}
		exportedLong(t, c, "")
	}
	if body := list(alice, "from=1&to=100").body; len(body) > 100<<10 || strings.Contains(body, `"deep"`) {
		t.Errorf("an own list has %d bytes", len(body))
	}
	for _, id := range []string{"package=p6", "package=p7"} {
		if n := log.of(id); n != 1 {
			t.Errorf("%d warnings name %s", n, id)
		}
	}
}

// exportedLong returns the ids of an export whose lines may be long.
func exportedLong(t *testing.T, c *e2etest.Client, query string) (ids []string) {
	t.Helper()
	r := c.Send("GET", exportPath+"?"+query, nil).Want(http.StatusOK)
	for line := range bytes.Lines(r.Body) {
		var p struct {
			ID    string
			Error any
		}
		if err := json.Unmarshal(line, &p); err != nil || p.Error != nil {
			t.Errorf("%.100s: %v", line, err)
		}
		ids = append(ids, p.ID)
	}
	return ids
}

// An unreadable window is halved down to the one package, in sixteen calls at most.
func TestAWindowIsHalved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		breaks        map[int]string
		plain, single bool
		named         string
	}{
		"a 500":                 {map[int]string{37: ""}, false, false, "package=p37"},
		"a 500, ids not told":   {map[int]string{37: ""}, true, false, "place=38"},
		"broken JSON":           {map[int]string{0: `{"count":100,"results":[{"id":"p0","name`}, false, false, "package=p0"},
		"no JSON":               {map[int]string{99: `<html>`}, false, false, "package=p99"},
		"too deep":              {map[int]string{64: `{"count":100,"results":[{"id":"p64","data":` + string(nested(9998)) + `}]}`}, false, false, "package=p64"},
		"no array":              {map[int]string{50: `{"count":100,"results":{}}`}, false, false, "package=p50"},
		"two beside each other": {map[int]string{49: "", 50: ""}, false, false, "package=p49"},
		"five":                  {map[int]string{3: "", 22: `x`, 23: "", 70: "{}", 99: ""}, false, false, "package=p70"},
		"five that GET serves":  {map[int]string{3: "", 22: `x`, 23: "", 70: "{}", 99: ""}, false, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			app, l, log := startLiar(t, 100, nil)
			alice, carol := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("carol@sandbox")
			indexed(alice)
			l.mu.Lock()
			l.breaks, l.plain, l.single = test.breaks, test.plain, test.single
			l.mu.Unlock()
			var bad []int
			for i := range test.breaks {
				if !test.single {
					bad = append(bad, i)
				}
			}
			l.calls()
			if p := list(carol, "from=1&to=100"); p.Count != 100 || !slices.Equal(p.ids(), ids(100, bad...)) {
				t.Errorf("the account has %d: %v", p.Count, p.ids())
			}
			if n := l.calls(); n > 17 {
				t.Errorf("%d calls for a window", n)
			}
			if got := exportedLong(t, carol, ""); !slices.Equal(got, ids(100, bad...)) {
				t.Errorf("the export has %v", got)
			}
			if n := log.of(test.named + " "); n != 1 && test.named != "" {
				t.Errorf("%d warnings name %s", n, test.named)
			}
			if got, whole := ownList(alice); !whole || len(got) != 100 {
				t.Errorf("an own list has %d", len(got))
			}
		})
	}
}

// A platform that serves no window is answered 502, and one that is away 503.
func TestNothingCanBeRead(t *testing.T) {
	t.Parallel()
	app, platform := bootBehindFront(t)
	carol := e2etest.Program(t, app).SignedIn("carol@sandbox")
	e2etest.Manage(t, app, "POST", "/packages", object{"count": 20})
	for status, want := range map[int]int{500: 502, 502: 502, 503: 503, 504: 502} {
		platform.on(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(status); return true })
		for _, path := range []string{packages, exportPath} {
			if r := carol.Send("GET", path, nil); r.Status != want {
				t.Errorf("%d is answered %d", status, r.Status)
			}
		}
	}
}

// Packages that are so long that a window has no room for two of them are read once, and not
// by every sweep that sees them.
func TestASweepDoesNotReadLongPackagesAgain(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t, "SIGNING_SWEEP=1s")
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox")
	indexed(bob)
	var long []string
	for range 2 {
		p := sentTo("bob@sandbox.example")
		p["description"] = strings.Repeat("x", 15<<20)
		long = append(long, atThePlatform(t, app, "POST", "/api/packages", p))
	}
	slices.Reverse(long)
	e2etest.Eventually(t, "they are on the list", func() bool {
		got, whole := ownList(bob)
		return whole && slices.Equal(got, long)
	})
	sweeps := func() (lists, alone int) {
		var journal struct{ Entries []struct{ Operation string } }
		if err := json.Unmarshal(e2etest.Manage(t, app, "GET", "/journal", nil).Body, &journal); err != nil {
			t.Fatal(err)
		}
		for _, e := range journal.Entries {
			switch e.Operation {
			case "listPackages":
				lists++
			case "getPackage":
				alone++
			}
		}
		return lists, alone
	}
	before, read := sweeps()
	e2etest.Eventually(t, "some sweeps later", func() bool { lists, _ := sweeps(); return lists > before+6 })
	if _, now := sweeps(); now > read+len(long) { // one sweep may have been under way
		t.Errorf("long packages were read %d times more", now-read)
	}
}
