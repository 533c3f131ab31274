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
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// warned returns the number of the log's warnings that contain text.
func warned(log *logtest.Log, text string) (n int) {
	for line := range strings.Lines(log.String()) {
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
	server, log := redistest.Start(t), &logtest.Log{}
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
	id := e2etest.AtPlatform(t, app, "POST", "/api/packages", deep).Text("id")
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
		if strings.HasPrefix(key, "cs:access:") {
			node.Del(ctx, key)
		}
	})
	e2etest.Eventually(t, "the lists are there again", func() bool {
		mine, whole := ownList(alice)
		theirs, wholeToo := ownList(bob)
		theirs = slices.DeleteFunc(theirs, func(one string) bool { return one == id })
		return whole && wholeToo && slices.Equal(mine, others) && slices.Equal(theirs, others)
	})
	if n := warned(log, id); n != 1 {
		t.Errorf("%d warnings name the package:\n%s", n, log)
	}
	if n := warned(log, "behind"); n != 0 {
		t.Errorf("the index is behind:\n%s", log)
	}
}

// liar is a platform with packages of any text, the newest first.
type liar []string

func (l liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	q, id := r.URL.Query(), strings.TrimPrefix(r.URL.Path, packages+"/")
	switch at := slices.Index(ids(len(l)), id); {
	case strings.HasSuffix(id, "/visibility"):
		fmt.Fprint(w, `{"configurations":[]}`)
	case at >= 0:
		fmt.Fprint(w, l[at])
	case r.URL.Path != packages:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"code":404,"messageKey":"error.notFound.resourceNotFound"}`)
	case q.Get("type") != "" && q.Get("type") != "PACKAGE", q.Get("query") == "trashed":
		fmt.Fprint(w, `{"count":0,"results":[]}`)
	default:
		from, _ := strconv.Atoi(q.Get("from"))
		to, _ := strconv.Atoi(q.Get("to"))
		results := slices.Clone(l[from-1 : min(to, len(l))])
		if q.Get("fields") == "id" {
			for i := range results {
				results[i] = fmt.Sprintf(`{"id":"p%d"}`, from-1+i)
			}
		}
		fmt.Fprintf(w, `{"count":%d,"results":[%s]}`, len(l), strings.Join(results, ","))
	}
}

// odd returns a package of Alice's for Bob, with additional members.
func odd(i int, more string) string {
	return fmt.Sprintf(`{"id":"p%d","name":"Package %d","status":"SENT","type":"PACKAGE","created":"2030-01-01T00:00:%02dZ","updated":"2030-01-01T00:00:00Z",`+
		`"roles":[{"id":"r","signers":[{"id":"s","email":"bob@sandbox.example","firstName":"Bob"}]}],"data":{"countersign":{"owner":"alice@sandbox"}}%s}`, i, i, 59-i%60, more)
}

// ids returns p0 to the one before count.
func ids(count int) (all []string) {
	for i := range count {
		all = append(all, fmt.Sprint("p", i))
	}
	return all
}

// A package with any members is listed, exported and swept.
func TestOddPackagesAreListed(t *testing.T) {
	t.Parallel()
	platform := liar{
		0:  odd(0, ""),
		1:  `{"id":"p1","name":7,"status":["SENT"],"type":{},"roles":{},"documents":"x","sender":[],"created":1,"updated":true,"data":"x"}`,
		2:  `{"id":"p2","name":null,"status":"SENT","roles":[{"id":1,"signers":null},null,7,{"id":"r","signers":[1,{"email":"bob@sandbox.example","id":"s"}]}],"data":{"countersign":{"owner":"alice@sandbox"}}}`,
		3:  strings.Replace(odd(3, ""), "Package 3", "Latin \xe9", 1),
		4:  strings.Replace(odd(4, ""), "Package 4", `Half \ud800`, 1),
		5:  strings.Replace(odd(5, ""), `"name":`, `"name":"twice","name":`, 1),
		6:  odd(6, `,"deep":`+string(nested(5000))),
		7:  odd(7, `,"description":"`+strings.Repeat("x", 256<<10)+`"`),
		8:  odd(8, `,"documents":[{"id":"d","approvals":{"a":1}},7]`),
		10: strings.Replace(odd(10, ""), `"signers":`, `"attachmentRequirements":[7,{"required":"x","status":7,"files":{"a":1}}],"signers":`, 1),
		11: strings.Replace(odd(11, ""), `"signers":`, `"attachmentRequirements":"x","signers":`, 1),
		9:  `{"id":"p9","name":"A\u0000B","status":"SENT","due":7,"completed":{},"description":[],"roles":[{"id":"r","signers":{"email":"x"}}]}`,
	}
	log := &logtest.Log{}
	server := httptest.NewServer(platform)
	app := e2etest.BootTo(t, log, "SIGNING_URL="+server.URL, "SIGNING_SWEEP=1h")
	t.Cleanup(server.Close)
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
	if body := list(alice, "from=1&to=100").body; len(body) < 256<<10 || !strings.Contains(body, `"deep"`) {
		t.Errorf("an own list has %d bytes", len(body))
	}
	for _, id := range []string{"package=p6", "package=p7"} {
		if n := warned(log, id); n != 1 {
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
