package upstream_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/leaktest"
	"countersign/internal/logtest"
	"countersign/internal/reqctx"
	"countersign/internal/upstream"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const secret = "Basic c2VjcmV0LWtleS1vZi10aGUtYWNjb3VudA=="

// platform serves h until the end of the test, and returns its address.
func platform(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// client returns a Client for the platform at url with o's other settings.
func client(t testing.TB, url string, o upstream.Options) *upstream.Client {
	t.Helper()
	o.Name, o.BaseURL = "identity", url
	c, err := upstream.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answering returns a handler that always gives this answer.
func answering(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

var get = upstream.Call{Operation: "user", Method: http.MethodGet, Path: "/users/alice", Idempotent: true}
var post = upstream.Call{Operation: "login", Method: http.MethodPost, Path: "/users/alice/login", Body: map[string]int{"timeout": 0}}

func TestNew_InvalidOptionsNamed(t *testing.T) {
	authorized := func(id, secret, token string) upstream.Options {
		return upstream.Options{BaseURL: "https://platform", Now: time.Now, OAuth: &upstream.OAuth{ID: id, Secret: secret, TokenURL: token}}
	}
	tests := []struct {
		name string
		o    upstream.Options
		want string
	}{
		{"nothing", upstream.Options{}, "http:// or https://"},
		{"no host", upstream.Options{BaseURL: "https:///v1"}, "http:// or https://"},
		{"other scheme", upstream.Options{BaseURL: "ftp://platform"}, "http:// or https://"},
		{"no URL", upstream.Options{BaseURL: "https://user:hunter2@plat form"}, "not a URL"},
		{"user", upstream.Options{BaseURL: "https://user:hunter2@platform"}, "must not hold user"},
		{"query", upstream.Options{BaseURL: "https://platform/?key=hunter2"}, "must not hold user, query"},
		{"empty query", upstream.Options{BaseURL: "https://platform/?"}, "must not hold user, query"},
		{"fragment", upstream.Options{BaseURL: "https://platform/#a"}, "must not hold user, query or fragment"},
		{"header injection", upstream.Options{BaseURL: "https://platform", Authorization: "hunter2\r\nX: y"}, "Authorization"},
		{"TLS over http", upstream.Options{BaseURL: "http://platform", TLS: &tls.Config{}}, "not https"},
		{"observed without a clock", upstream.Options{BaseURL: "https://platform", Observe: func(upstream.Observation) {}}, "clock"},
		{"OAuth without a clock", upstream.Options{BaseURL: "https://platform", OAuth: &upstream.OAuth{ID: "x", Secret: "y", TokenURL: "https://platform"}}, "clock"},
		{"OAuth without id", authorized("", "hunter2", "https://platform/oauth2/token"), "OAuth"},
		{"OAuth without secret", authorized("x", "", "https://platform/oauth2/token"), "OAuth"},
		{"OAuth without URL", authorized("x", "hunter2", ""), "token"},
		{"OAuth with a user", authorized("x", "hunter2", "https://x:hunter2@platform/oauth2/token"), "token"},
		{"OAuth by FTP", authorized("x", "hunter2", "ftp://platform/oauth2/token"), "token"},
		{"unverified", upstream.Options{BaseURL: "https://platform", TLS: &tls.Config{InsecureSkipVerify: true}}, "verified"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Name = "identity"
			_, err := upstream.New(tt.o)
			if err == nil {
				t.Fatal("accepted")
			}
			if text := err.Error(); !strings.Contains(text, tt.want) || !strings.Contains(text, "upstream identity: ") {
				t.Errorf("error = %q, want it to contain %q", text, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the secret: %v", err)
			}
		})
	}
}

func TestBaseURL_JoinedWithPath(t *testing.T) {
	var got string
	url := platform(t, func(w http.ResponseWriter, r *http.Request) { got = r.RequestURI })
	for base, want := range map[string]string{
		"":           "/users/a%2Fb@x?k=v",
		"/":          "/users/a%2Fb@x?k=v",
		"/v1":        "/v1/users/a%2Fb@x?k=v",
		"/v1/":       "/v1/users/a%2Fb@x?k=v",
		"/t%2Fn/v1/": "/t%2Fn/v1/users/a%2Fb@x?k=v",
	} {
		call := get
		call.Path = "/users/a%2Fb@x?k=v"
		if err := client(t, url+base, upstream.Options{}).JSON(t.Context(), call, nil); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("base %q: called %s, want %s", base, got, want)
		}
	}
}

func TestUserAgent_CarriesVersion(t *testing.T) {
	seen := make(chan string, 1)
	url := platform(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Get("User-Agent") })
	for version, want := range map[string]string{
		"": "Countersign", "v1.2.3": "Countersign/v1.2.3", "(devel)": "Countersign/devel", "v1\r\nX-Evil: 1": "Countersign/v1X-Evil1", "é": "Countersign",
	} {
		if err := client(t, url, upstream.Options{Version: version}).JSON(t.Context(), get, nil); err != nil {
			t.Fatal(err)
		}
		if got := <-seen; got != want {
			t.Errorf("version %q: %q, want %q", version, got, want)
		}
	}
}

func TestCall_Headers(t *testing.T) {
	var got http.Header
	var body []byte
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		body, _ = io.ReadAll(r.Body)
	})
	c := client(t, url, upstream.Options{Authorization: secret})
	ctx := context.WithValue(t.Context(), reqctx.Key{}, &reqctx.Info{ID: "req-1", TraceParent: "00-a-b-01"})
	if err := c.JSON(ctx, post, nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Authorization": secret, "User-Agent": "Countersign", "X-Request-Id": "req-1", "Traceparent": "00-a-b-01",
		"Accept": "application/json", "Content-Type": "application/json",
	} {
		if got.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, got.Get(name), want)
		}
	}
	if string(body) != `{"timeout":0}` {
		t.Errorf("body = %s", body)
	}

	ctx = context.WithValue(t.Context(), reqctx.Key{}, &reqctx.Info{ID: "req\r\nX-Evil: 1"})
	if err := client(t, url, upstream.Options{}).JSON(ctx, get, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "X-Request-Id", "Traceparent", "Content-Type", "X-Evil"} {
		if values, ok := got[http.CanonicalHeaderKey(name)]; ok {
			t.Errorf("%s was sent: %q", name, values)
		}
	}
}

func TestCorrelationID_NotedFromResponses(t *testing.T) {
	ids := []string{"corr-1", "corr-2", strings.Repeat("x", 129), "with space", ""}
	var n int
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("log-correlation-id", ids[n])
		w.WriteHeader([]int{200, 409, 200, 200, 200}[n])
		n++
	})
	c := client(t, url, upstream.Options{})
	info := &reqctx.Info{}
	for range ids {
		// One of the answers is a refusal: its id counts as well.
		_ = c.JSON(context.WithValue(t.Context(), reqctx.Key{}, info), get, nil)
	}
	if got, want := fmt.Sprint(info.Correlations()), "[corr-1 corr-2]"; got != want {
		t.Errorf("correlations = %s, want %s", got, want)
	}
	name := get.Operation + ":"
	if got, want := info.Calls(), []string{name + "200:corr-1", name + "409:corr-2", name + "200", name + "200", name + "200"}; !slices.Equal(got, want) {
		t.Errorf("calls = %q, want %q", got, want)
	}
}

// Where no header names an exchange, its error does, in either spelling; an id that repeats
// a secret is none.
func TestCorrelationIdsAreKept_InErrors(t *testing.T) {
	bodies := []string{`{"logCorrelationID":"corr-1"}`, `{"logCorrelationId":"corr-2"}`, `{"logCorrelationID":"hunter2"}`, `{"logCorrelationID":"a b"}`, `{"logCorrelationID":3}`}
	var n int
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, bodies[n])
		n++
	})
	c := client(t, url, upstream.Options{})
	info := &reqctx.Info{}
	call := get
	call.Secrets = []string{"hunter2"}
	for range bodies {
		_ = c.JSON(context.WithValue(t.Context(), reqctx.Key{}, info), call, nil)
	}
	if got, want := fmt.Sprint(info.Correlations()), "[corr-1 corr-2]"; got != want {
		t.Errorf("correlations = %s, want %s", got, want)
	}
}

func TestResponse_Decoded(t *testing.T) {
	tests := []struct {
		name, body string
		status     int
		want       string
	}{
		{"json", `{"sessionStatus":"accepted"}`, 200, "accepted"},
		{"created", `{"sessionStatus":"accepted"}`, 201, "accepted"},
		{"byte order mark", "\ufeff{\"sessionStatus\":\"accepted\"}\n", 200, "accepted"},
		{"nothing", "", 200, "untouched"},
		{"white space", " \n", 200, "untouched"},
		{"no content", "", 204, "untouched"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := platform(t, answering(tt.status, "application/json", tt.body))
			out := struct {
				SessionStatus string `json:"sessionStatus"`
			}{"untouched"}
			if err := client(t, url, upstream.Options{}).JSON(t.Context(), get, &out); err != nil {
				t.Fatal(err)
			}
			if out.SessionStatus != tt.want {
				t.Errorf("decoded %q, want %q", out.SessionStatus, tt.want)
			}
		})
	}
}

func TestCall_InvalidUTF8Replaced(t *testing.T) {
	var sent []byte
	url := platform(t, func(w http.ResponseWriter, r *http.Request) { sent, _ = io.ReadAll(r.Body) })
	call := post
	call.Body = map[string]string{"passKey": "caf\xe9"}
	if err := client(t, url, upstream.Options{}).JSON(t.Context(), call, nil); err != nil || string(sent) != "{\"passKey\":\"caf\ufffd\"}" {
		t.Errorf("sent %q: %v", sent, err)
	}
}

func TestCall_UnencodableBodyNotSent(t *testing.T) {
	url := platform(t, func(http.ResponseWriter, *http.Request) { t.Error("called") })
	call := post
	call.Body = make(chan int)
	if err := client(t, url, upstream.Options{}).JSON(t.Context(), call, nil); err == nil {
		t.Error("no error")
	}
}

func TestClient_LogsNoCredential(t *testing.T) {
	c := client(t, "https://platform.example/v1", upstream.Options{Authorization: secret})
	var log logtest.Log
	log.Logger().Info("wired", "client", c)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("wired", "client", c)
	shown := fmt.Sprintf("%v %+v %s", c, c, c.URL())
	if shown += log.String(); strings.Contains(shown, "c2VjcmV0") {
		t.Errorf("the credential shows: %s", shown)
	}
	c.URL().Host = "evil.example"
	if c.URL().Host != "platform.example" {
		t.Error("the base address can be changed from outside")
	}
}

func TestConnection_Reused(t *testing.T) {
	const callers = 64
	var mu sync.Mutex
	conns := map[string]bool{}
	var gate sync.WaitGroup
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		conns[r.RemoteAddr] = true
		mu.Unlock()
		// No call is answered before all have arrived, so that each caller has a
		// connection of its own.
		gate.Done()
		gate.Wait()
	})
	c := client(t, url, upstream.Options{Timeout: time.Minute})
	for range 3 {
		gate.Add(callers)
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				if err := c.JSON(context.Background(), get, nil); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	// net/http alone would keep two connections and open sixty-two new ones each time. A
	// connection may return to the pool a moment after its caller went on.
	if len(conns) > callers*3/2 {
		t.Errorf("%d connections for %d callers in three rounds", len(conns), callers)
	}
}
