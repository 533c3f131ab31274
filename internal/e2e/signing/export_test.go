package signing_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// exported returns the ids of an export as lines of JSON.
func exported(t *testing.T, body io.Reader) (ids []string, last string) {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p struct{ ID string }
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		if last = lines.Text(); p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids, last
}

func export(t *testing.T, c *e2etest.Client, query string) []string {
	t.Helper()
	r := c.Send("GET", packages+"/export?"+query, nil).Want(http.StatusOK)
	if strings.Contains(string(r.Body), "countersign") {
		t.Errorf("%s tells of data.countersign", query)
	}
	ids, _ := exported(t, strings.NewReader(string(r.Body)))
	return ids
}

// exports is the setup of the tests of the export; there holds the ids of all packages,
// in the order of the list.
type exports struct {
	app        *e2etest.App
	platform   *e2etest.Platform
	carol, bob *e2etest.Client
	there      []string
}

const exportPath = packages + "/export"

// onList calls before with each call of the listing from now on. What it does not answer, the sandbox
// answers.
func (e exports) onList(before func(calls int, w http.ResponseWriter) (answered bool)) {
	var calls atomic.Int32
	e.platform.Fail(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != packages || r.Method != http.MethodGet || !before(int(calls.Add(1)), w) {
			e.platform.Pass(w, r)
		}
	})
}

func TestExport(t *testing.T) {
	app, platform := e2etest.BootWholeApart(t, "OPERATORS=carol@sandbox")
	e := exports{app: app, platform: platform, carol: e2etest.Program(t, app).SignedIn("carol@sandbox"), bob: e2etest.Program(t, app).SignedIn("bob@sandbox")}
	indexed(e.bob)
	e2etest.Manage(t, app, "POST", "/packages", object{"count": 432, "owner": "alice@sandbox"})
	for _, query := range []string{"from=1&to=0", "from=101&to=0", "from=201&to=0", "from=301&to=0", "from=401&to=0"} {
		e.there = append(e.there, list(e.carol, query).ids()...)
	}
	t.Run("the forms", e.forms)
	t.Run("a failure at once", e.failureAtOnce)
	t.Run("a failure in the middle", e.failureInTheMiddle)
	t.Run("it is sent as it is read", e.sentAsRead)
	t.Run("others export their own", e.othersTheirOwn)
}

func (e exports) forms(t *testing.T) {
	const ndjson, csv = "application/x-ndjson; charset=utf-8", "text/csv; charset=utf-8; header=present"
	for _, test := range []struct{ query, accept, want string }{
		{"", "*/*", ndjson}, {"", "text/csv, */*;q=0.5", csv}, {"", "text/csv;q=0.5, application/x-ndjson", ndjson}, {"", "text/csv;q=0", ndjson},
		{"format=csv", "application/x-ndjson", csv}, {"format=ndjson", "text/csv", ndjson}, {"", "image/png", ndjson},
	} {
		r := e.carol.Send("GET", exportPath+"?to=5&search=nothing&"+test.query, nil, "Accept", test.accept).Want(http.StatusOK)
		if got := r.Header.Get("Content-Type"); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
	for _, format := range []string{"xml", "CSV", "ndjson "} {
		r := e.carol.Send("GET", exportPath+"?format="+url.QueryEscape(format), nil).Refused(http.StatusBadRequest, "request.invalid")
		if got := e2etest.Pointers(t, r); got != "/format" {
			t.Errorf("%q: %s", format, got)
		}
	}
	if r := e.carol.Send("GET", exportPath+"?format=csv&search=nothing", nil); string(r.Body) != "id,name,status,type,description,language,created,updated,due,completed,sender,signers\r\n" {
		t.Errorf("an empty one: %q", r.Body)
	}
	if r := e.carol.Send("GET", exportPath+"?search=nothing", nil); len(r.Body) > 0 {
		t.Errorf("an empty one: %q", r.Body)
	}
}

func (e exports) failureAtOnce(t *testing.T) {
	for status, key := range map[int]string{500: "platform.failed", 503: "platform.unavailable"} {
		e.onList(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(status); return true })
		for _, format := range []string{"ndjson", "csv"} {
			r := e.carol.Send("GET", exportPath+"?format="+format, nil).Refused(map[int]int{500: 502, 503: 503}[status], key)
			if got := r.Header.Get("Content-Type"); got != "application/problem+json" || r.Header.Get("Trailer") != "" {
				t.Errorf("%s, trailer %s", got, r.Header.Get("Trailer"))
			}
		}
	}
	e.platform.Mend()
}

func (e exports) failureInTheMiddle(t *testing.T) {
	failing := func(calls int, w http.ResponseWriter) bool {
		if calls > 2 {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return calls > 2
	}
	e.onList(failing)
	r := e.carol.Send("GET", exportPath, nil).Want(http.StatusOK)
	ids, last := exported(t, strings.NewReader(string(r.Body)))
	var end struct {
		Error struct {
			Key, Detail, MessageKey, Instance string
			Status, Code                      int
		}
	}
	if err := json.Unmarshal([]byte(last), &end); err != nil || end.Error.Key != "platform.failed" || end.Error.Status != 502 || end.Error.Code != 502 ||
		end.Error.Detail == "" || end.Error.Instance != r.Header.Get("X-Request-Id") || len(ids) == 0 || len(ids) >= len(e.there) {
		t.Errorf("%d packages, then %s, %v", len(ids), last, err)
	}
	e.onList(failing)
	response := e.carol.Stream(exportPath + "?format=csv")
	if got := response.Header.Get("Trailer"); got != "" || len(response.Trailer) != 1 {
		t.Errorf("announced: %v %v", got, response.Trailer)
	}
	body, err := io.ReadAll(response.Body)
	if got := response.Trailer.Get("X-Export-Error"); err != nil || got != "platform.failed" || !strings.HasSuffix(string(body), "\r\n") {
		t.Errorf("trailer %q, %v", got, err)
	}
	e.platform.Mend()
	response = e.carol.Stream(exportPath + "?format=csv")
	if _, err := io.ReadAll(response.Body); err != nil || response.Trailer.Get("X-Export-Error") != "" {
		t.Errorf("a whole one ends with %v, %v", response.Trailer, err)
	}
}

func (e exports) sentAsRead(t *testing.T) {
	release := make(chan struct{})
	e.onList(func(calls int, _ http.ResponseWriter) bool {
		if calls > 1 {
			<-release
		}
		return false
	})
	response := e.carol.Stream(exportPath)
	lines := bufio.NewReader(response.Body)
	for range 100 { // the first window, while the others have not come
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	rest, _ := exported(t, lines)
	if len(rest) != len(e.there)-100 {
		t.Errorf("%d more", len(rest))
	}
	e.platform.Mend()
}

func (e exports) othersTheirOwn(t *testing.T) {
	id := create(e.bob, object{"name": "Bob's own"})
	e2etest.Untouched(t, e.app, func() {
		if got := export(t, e.bob, ""); !slices.Equal(got, []string{id}) {
			t.Errorf("%v", got)
		}
		r := e.bob.Send("GET", exportPath+"?format=csv&fields=id", nil).Want(http.StatusOK)
		if got := string(r.Body); !strings.HasSuffix(strings.Replace(got, "\n'-", "\n-", 1), "\r\n"+id+",,,,,,,,,,,\r\n") || strings.Count(got, "\r\n") != 2 {
			t.Errorf("%q", got)
		}
	}, "listPackages")
}
