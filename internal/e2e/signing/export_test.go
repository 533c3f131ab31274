package signing_test

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// front stands before the sandbox's signing API, and does something before a call.
type front struct {
	proxy *httputil.ReverseProxy

	mu     sync.Mutex
	lists  int // calls of the listing so far
	before func(calls int, w http.ResponseWriter) (answered bool)
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	before, calls := f.before, 0
	if r.URL.Path == packages && r.Method == http.MethodGet {
		f.lists++
		calls = f.lists
	}
	f.mu.Unlock()
	if calls == 0 || before == nil || !before(calls, w) {
		f.proxy.ServeHTTP(w, r)
	}
}

// on has before be called with each call of the listing from now on.
func (f *front) on(before func(calls int, w http.ResponseWriter) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists, f.before = 0, before
}

// bootBehindFront starts the program with a front before its platform.
func bootBehindFront(t *testing.T) (*e2etest.App, *front) {
	t.Helper()
	f := &front{}
	server := httptest.NewServer(f)
	app := e2etest.Boot(t, "SIGNING_URL="+server.URL)
	t.Cleanup(server.Close)
	to, err := url.Parse(app.SandboxURL())
	if err != nil {
		t.Fatal(err)
	}
	f.proxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	return app, f
}

// exported is the ids of an export as lines of JSON.
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

func TestExport(t *testing.T) {
	app, platform := bootBehindFront(t)
	carol := e2etest.Program(t, app).SignedIn("carol@sandbox")
	bob := e2etest.Program(t, app).SignedIn("bob@sandbox")
	indexed(bob)
	e2etest.Manage(t, app, "POST", "/packages", object{"count": 432, "owner": "alice@sandbox"})
	var there []string
	for _, query := range []string{"from=1&to=0", "from=101&to=0", "from=201&to=0", "from=301&to=0", "from=401&to=0"} {
		there = append(there, list(carol, query).ids()...)
	}
	path := packages + "/export"

	t.Run("each package once, whatever the platform's windows are", func(t *testing.T) {
		for _, account := range []object{{"pageBounds": "exclusive"}, {"maxPage": 30}, {"maxPage": 99, "pageBounds": "inclusive"}, {"maxPage": 100}} {
			e2etest.Manage(t, app, "PUT", "/account", account)
			if got := export(t, carol, ""); !slices.Equal(got, there) {
				t.Errorf("%v: %d of %d", account, len(got), len(there))
			}
		}
	})
	t.Run("the forms", func(t *testing.T) {
		const ndjson, csv = "application/x-ndjson; charset=utf-8", "text/csv; charset=utf-8; header=present"
		for _, test := range []struct{ query, accept, want string }{
			{"", "", ndjson}, {"", "*/*", ndjson}, {"", "text/csv", csv}, {"", "application/x-ndjson", ndjson},
			{"", "text/csv, */*;q=0.5", csv}, {"", "text/csv;q=0.5, application/x-ndjson", ndjson}, {"", "text/csv;q=0", ndjson},
			{"format=csv", "application/x-ndjson", csv}, {"format=ndjson", "text/csv", ndjson}, {"", "image/png", ndjson},
		} {
			r := carol.Send("GET", path+"?to=5&search=nothing&"+test.query, nil, "Accept", test.accept).Want(http.StatusOK)
			if got := r.Header.Get("Content-Type"); got != test.want {
				t.Errorf("%+v: %s", test, got)
			}
		}
		for _, format := range []string{"xml", "CSV", "ndjson "} {
			r := carol.Send("GET", path+"?format="+url.QueryEscape(format), nil).Refused(http.StatusBadRequest, "request.invalid")
			if got := e2etest.Pointers(t, r); got != "/format" {
				t.Errorf("%q: %s", format, got)
			}
		}
		if r := carol.Send("GET", path+"?format=csv&search=nothing", nil); string(r.Body) != "id,name,status,type,description,language,created,updated,due,completed,sender,signers\r\n" {
			t.Errorf("an empty one: %q", r.Body)
		}
		if r := carol.Send("GET", path+"?search=nothing", nil); len(r.Body) > 0 {
			t.Errorf("an empty one: %q", r.Body)
		}
	})
	t.Run("CSV", func(t *testing.T) {
		id := create(carol, object{"name": "=1+\"1\",\r\nend", "roles": []object{recipient("r1", "bob@sandbox.example")}})
		defer func() { carol.Send("DELETE", packages+"/"+id, nil).Want(http.StatusOK) }()
		r := carol.Send("GET", path+"?format=csv", nil).Want(http.StatusOK)
		records, err := csv.NewReader(strings.NewReader(string(r.Body))).ReadAll()
		if err != nil || len(records) != len(there)+2 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		first := records[1]
		if first[0] != id || first[1] != "'=1+\"1\",\nend" || first[2] != "DRAFT" || first[10] != "sandbox@sandbox.example" || first[11] != "bob@sandbox.example" {
			t.Errorf("%q", first)
		}
		if !strings.Contains(string(r.Body), id+`,"'=1+""1"",`+"\r\nend\",DRAFT,PACKAGE,") {
			t.Errorf("not as RFC 4180 has it: %.300q", r.Body)
		}
	})
	t.Run("a failure at once", func(t *testing.T) {
		for status, key := range map[int]string{500: "platform.failed", 503: "platform.unavailable"} {
			platform.on(func(_ int, w http.ResponseWriter) bool { w.WriteHeader(status); return true })
			for _, format := range []string{"ndjson", "csv"} {
				r := carol.Send("GET", path+"?format="+format, nil).Refused(map[int]int{500: 502, 503: 503}[status], key)
				if got := r.Header.Get("Content-Type"); got != "application/problem+json" || r.Header.Get("Trailer") != "" {
					t.Errorf("%s, trailer %s", got, r.Header.Get("Trailer"))
				}
			}
		}
		platform.on(nil)
	})
	t.Run("a failure in the middle", func(t *testing.T) {
		failing := func(calls int, w http.ResponseWriter) bool {
			if calls > 2 {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return calls > 2
		}
		platform.on(failing)
		r := carol.Send("GET", path, nil).Want(http.StatusOK)
		ids, last := exported(t, strings.NewReader(string(r.Body)))
		var end struct {
			Error struct {
				Key, Detail, MessageKey, Instance string
				Status, Code                      int
			}
		}
		if err := json.Unmarshal([]byte(last), &end); err != nil || end.Error.Key != "platform.failed" || end.Error.Status != 502 || end.Error.Code != 502 ||
			end.Error.Detail == "" || end.Error.Instance != r.Header.Get("X-Request-Id") || len(ids) == 0 || len(ids) >= len(there) {
			t.Errorf("%d packages, then %s, %v", len(ids), last, err)
		}
		platform.on(failing)
		response := streamed(t, carol, path+"?format=csv")
		if got := response.Header.Get("Trailer"); got != "" || len(response.Trailer) != 1 {
			t.Errorf("announced: %v %v", got, response.Trailer)
		}
		body, err := io.ReadAll(response.Body)
		if got := response.Trailer.Get("X-Export-Error"); err != nil || got != "platform.failed" || !strings.HasSuffix(string(body), "\r\n") {
			t.Errorf("trailer %q, %v", got, err)
		}
		platform.on(nil)
		response = streamed(t, carol, path+"?format=csv")
		if _, err := io.ReadAll(response.Body); err != nil || response.Trailer.Get("X-Export-Error") != "" {
			t.Errorf("a whole one ends with %v, %v", response.Trailer, err)
		}
	})
	t.Run("it is sent as it is read", func(t *testing.T) {
		release := make(chan struct{})
		platform.on(func(calls int, _ http.ResponseWriter) bool {
			if calls > 1 {
				<-release
			}
			return false
		})
		response := streamed(t, carol, path)
		lines := bufio.NewReader(response.Body)
		for range 100 { // the first window, while the others have not come
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		close(release)
		rest, _ := exported(t, lines)
		if len(rest) != len(there)-100 {
			t.Errorf("%d more", len(rest))
		}
		platform.on(nil)
	})
	t.Run("while packages come and go", func(t *testing.T) {
		stay := slices.Clone(there)
		var mu sync.Mutex
		platform.on(func(calls int, _ http.ResponseWriter) bool {
			mu.Lock()
			defer mu.Unlock()
			if calls == 2 || calls == 4 || calls == 5 {
				carol.Send("DELETE", packages+"/"+stay[0], nil).Want(http.StatusOK)
				stay = stay[1:]
				create(carol, object{"name": "New"})
			}
			return false
		})
		got := export(t, carol, "")
		platform.on(nil)
		if once := slices.Compact(slices.Sorted(slices.Values(got))); len(once) != len(got) {
			t.Errorf("%d ids for %d packages", len(once), len(got))
		}
		for _, id := range stay {
			if !slices.Contains(got, id) {
				t.Errorf("%s is missing", id)
			}
		}
	})
	t.Run("others export their own", func(t *testing.T) {
		id := create(bob, object{"name": "Bob's own"})
		e2etest.Untouched(t, app, func() {
			if got := export(t, bob, ""); !slices.Equal(got, []string{id}) {
				t.Errorf("%v", got)
			}
			r := bob.Send("GET", path+"?format=csv&fields=id", nil).Want(http.StatusOK)
			if got := string(r.Body); !strings.HasSuffix(got, "\r\n"+id+",,,,,,,,,,,\r\n") || strings.Count(got, "\r\n") != 2 {
				t.Errorf("%q", got)
			}
		}, "listPackages")
	})
	t.Run("its head alone", func(t *testing.T) {
		e2etest.Untouched(t, app, func() {
			r := carol.Send("HEAD", path+"?format=csv", nil).Want(http.StatusOK)
			if got := r.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/csv") {
				t.Error(got)
			}
		}, "listPackages")
	})
}

// streamed is an answer whose body is still to be read.
func streamed(t *testing.T, c *e2etest.Client, path string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.App.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = c.Header.Clone()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d", path, response.StatusCode)
	}
	return response
}
