package upstream_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/logtest"
	"countersign/internal/upstream"
)

const (
	clientID     = "client-7f3a"
	clientSecret = "s3cret/of the+client" // which a form escapes
	tokenStem    = "eyJhbGciOiJIUzI1NiJ9.token-"
)

// tenant is a service that takes the tokens of its endpoint until they are revoked.
type tenant struct {
	t    *testing.T
	url  string
	log  logtest.Log
	life string // the member expires_in of a good answer
	// serve is what the service answers to a good token; nil for {}.
	serve http.HandlerFunc
	// refuse, if given, is called before a token is refused.
	refuse func(path string)

	mu     sync.Mutex
	secret string           // the client's, where it is not clientSecret; another one is refused
	answer http.HandlerFunc // of the endpoint; nil for a good one
	asked  int              // requests for a token
	good   map[string]bool  // the Authorizations that are taken
	shown  []string         // Authorizations of calls
	now    time.Time
}

func newTenant(t *testing.T) *tenant {
	n := &tenant{t: t, life: `"expires_in":299,`, good: map[string]bool{}, now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}
	n.url = platform(t, n.ServeHTTP)
	return n
}

func (n *tenant) client(o upstream.Options) *upstream.Client {
	n.t.Helper()
	o.OAuth = &upstream.OAuth{ID: clientID, Secret: clientSecret, TokenURL: n.url + "/oauth2/token"}
	o.Logger, o.Now = n.log.Logger(), n.clock
	return client(n.t, n.url, o)
}

func (n *tenant) clock() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

func (n *tenant) advance(by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.now = n.now.Add(by)
}

// revoke ends all tokens.
func (n *tenant) revoke() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.good)
}

// answers sets the endpoint's answer.
func (n *tenant) answers(by http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answer = by
}

// requires changes the client's secret.
func (n *tenant) requires(secret string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.secret = secret
}

// requests returns the number of requests for a token.
func (n *tenant) requests() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked
}

func (n *tenant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/oauth2/token" {
		n.endpoint(w, r)
		return
	}
	shown := r.Header.Get("Authorization")
	n.mu.Lock()
	n.shown = append(n.shown, shown)
	good := n.good[shown]
	n.mu.Unlock()
	switch {
	case !good:
		if n.refuse != nil {
			n.refuse(r.URL.Path)
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"message":"bad credential %s"}`, shown)
	case n.serve != nil:
		n.serve(w, r)
	default:
		io.WriteString(w, "{}")
	}
}

func (n *tenant) endpoint(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	n.asked++
	token := fmt.Sprint(tokenStem, n.asked)
	n.good["Bearer "+token] = true
	answer, required := n.answer, n.secret
	n.mu.Unlock()
	id, secret, ok := r.BasicAuth()
	if required != "" {
		if secret == required {
			secret = url.QueryEscape(clientSecret)
		} else {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	}
	if !ok || id != clientID || secret != "s3cret%2Fof+the%2Bclient" || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" ||
		r.PostFormValue("grant_type") != "client_credentials" || r.PostFormValue("client_secret") != "" {
		n.t.Errorf("%s by %q %q, a form %v", r.Method, id, secret, r.PostForm)
	}
	if answer != nil {
		answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":%q,%s"token_type":"bearer","scope":"x"}`, token, n.life)
}

// untold fails the test if texts show the secret or a token.
func untold(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		for _, hidden := range []string{tokenStem, clientSecret, "s3cret", "Y2xpZW50"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%q is told in %q", hidden, text)
			}
		}
	}
}

func TestToken_SentWithEveryCall(t *testing.T) {
	n := newTenant(t)
	c := n.client(upstream.Options{})
	for _, call := range []upstream.Call{get, post} {
		if err := c.JSON(t.Context(), call, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r, err := http.NewRequestWithContext(t.Context(), method, n.url+"/api/packages", strings.NewReader("%PDF-1.7"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer of-the-session")
		response, err := c.Relay("relay", r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if got := strings.Join(n.shown, ","); got != strings.Repeat(",Bearer "+tokenStem+"1", 4)[1:] || n.requests() != 1 {
		t.Errorf("calls showed %s; %d requests for a token", got, n.requests())
	}
}

func TestToken_RenewedBeforeExpiry(t *testing.T) {
	for life, early := range map[string][2]time.Duration{
		`"expires_in":299,`:                  {299 * time.Second, 29900 * time.Millisecond},
		`"expires_in":"299",`:                {299 * time.Second, 29900 * time.Millisecond},
		`"expires_in":60,`:                   {60 * time.Second, 10 * time.Second},
		`"expires_in":15,`:                   {15 * time.Second, 10 * time.Second},
		`"expires_in":8,`:                    {8 * time.Second, 4 * time.Second},
		`"expires_in":0,`:                    {time.Minute, 10 * time.Second},
		`"expires_in":-299,`:                 {time.Minute, 10 * time.Second},
		`"expires_in":null,`:                 {time.Minute, 10 * time.Second},
		``:                                   {time.Minute, 10 * time.Second},
		`"expires_in":9223372036854775807,`:  {24 * time.Hour, 144 * time.Minute},
		`"expires_in":-9223372036854775808,`: {time.Minute, 10 * time.Second},
	} {
		t.Run(life, func(t *testing.T) {
			n := newTenant(t)
			n.life = life
			c := n.client(upstream.Options{})
			ask := func() {
				t.Helper()
				if err := c.JSON(t.Context(), get, nil); err != nil {
					t.Fatal(err)
				}
			}
			ask()
			n.advance(early[0] - early[1] - time.Millisecond)
			ask()
			if n.requests() != 1 {
				t.Fatalf("renewed %s before its end", early[1]+time.Millisecond)
			}
			n.advance(time.Millisecond)
			// The call that finds it due goes on with the old one.
			ask()
			if n.shown[len(n.shown)-1] != "Bearer "+tokenStem+"1" {
				t.Errorf("the call showed %s", n.shown[len(n.shown)-1])
			}
			for i := 0; i < 10_000 && n.shown[len(n.shown)-1] != "Bearer "+tokenStem+"2"; i++ {
				ask()
			}
			if n.requests() != 2 {
				t.Errorf("%d requests for a token", n.requests())
			}
		})
	}
}

// While a token is still good, calls do not wait for the next one, nor end with its failure.
func TestToken_ValidDuringFailedRenewal(t *testing.T) {
	n := newTenant(t)
	c := n.client(upstream.Options{})
	if err := c.JSON(t.Context(), get, nil); err != nil {
		t.Fatal(err)
	}
	hold := make(chan struct{})
	n.answers(func(w http.ResponseWriter, _ *http.Request) { <-hold; w.WriteHeader(http.StatusBadGateway) })
	n.advance(290 * time.Second)
	for range 20 {
		if err := c.JSON(t.Context(), get, nil); err != nil {
			t.Fatal(err)
		}
	}
	close(hold)
	for i := 0; i < 10_000 && !strings.Contains(n.log.String(), "answered 502"); i++ {
		if err := c.JSON(t.Context(), get, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n.requests() != 2 {
		t.Errorf("%d requests for a token", n.requests())
	}
	n.advance(9 * time.Second)
	if err := c.JSON(t.Context(), get, nil); !fault.Is(err, fault.PlatformUnavailable) {
		t.Errorf("without a good token: %v", err)
	}
}

func TestToken_ConcurrentCallsShareOneRequest(t *testing.T) {
	n := newTenant(t)
	hold := make(chan struct{})
	n.answers(func(w http.ResponseWriter, _ *http.Request) {
		<-hold
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"`+tokenStem+`1","expires_in":299}`)
	})
	c := n.client(upstream.Options{})
	given := make(chan error)
	hasty, hangUp := context.WithCancel(t.Context())
	go func() { given <- c.JSON(hasty, get, nil) }()
	hangUp()
	if err := <-given; !fault.Is(err, fault.RequestCancelled) {
		t.Errorf("a client that hung up: %v", err)
	}
	for range 50 {
		go func() { given <- c.JSON(t.Context(), get, nil) }()
	}
	close(hold)
	for range 50 {
		if err := <-given; err != nil {
			t.Error(err)
		}
	}
	if n.requests() != 1 {
		t.Errorf("%d requests for a token", n.requests())
	}
}

func TestToken_RenewedOnceAfterRefusal(t *testing.T) {
	n := newTenant(t)
	c := n.client(upstream.Options{})
	if err := c.JSON(t.Context(), get, nil); err != nil {
		t.Fatal(err)
	}
	n.revoke()
	given := make(chan error)
	for i := range 50 {
		go func() {
			if i%2 == 0 {
				given <- c.JSON(t.Context(), get, nil)
				return
			}
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, n.url+"/api/packages", http.NoBody)
			response, err := c.Relay("relay", r)
			if err == nil {
				response.Body.Close()
			}
			given <- err
		}()
	}
	for range 50 {
		if err := <-given; err != nil {
			t.Error(err)
		}
	}
	if n.requests() != 2 {
		t.Errorf("%d requests for a token", n.requests())
	}
	untold(t, n.log.String())
}

// A refusal that comes late is of a token that has been replaced already.
func TestToken_LateRefusalDoesNotRenew(t *testing.T) {
	n := newTenant(t)
	arrived, late := make(chan struct{}), make(chan struct{})
	n.refuse = func(path string) {
		if path == "/late" {
			close(arrived)
			<-late
		}
	}
	c := n.client(upstream.Options{})
	if err := c.JSON(t.Context(), get, nil); err != nil {
		t.Fatal(err)
	}
	n.revoke()
	given := make(chan error)
	go func() {
		call := get
		call.Path = "/late"
		given <- c.JSON(t.Context(), call, nil)
	}()
	<-arrived
	if err := c.JSON(t.Context(), get, nil); err != nil {
		t.Error(err)
	}
	close(late)
	if err := <-given; err != nil || n.requests() != 2 {
		t.Errorf("%v, %d requests for a token", err, n.requests())
	}
}

// What may have had an effect is not sent again: the next call has the new token.
func TestToken_UnsafeCallNotRepeated(t *testing.T) {
	upload := func(c *upstream.Client, n *tenant) error {
		_, err := c.Relay("relay", request(t, t.Context(), n.url+"/api/packages", strings.NewReader("%PDF-1.7")))
		return err
	}
	once := get
	once.Idempotent, once.Once = false, true
	for name, send := range map[string]func(*upstream.Client, *tenant) error{
		"typed":  func(c *upstream.Client, _ *tenant) error { return c.JSON(t.Context(), post, nil) },
		"once":   func(c *upstream.Client, _ *tenant) error { return c.JSON(t.Context(), once, nil) },
		"upload": upload,
	} {
		n := newTenant(t)
		c := n.client(upstream.Options{})
		if err := c.JSON(t.Context(), get, nil); err != nil {
			t.Fatal(err)
		}
		n.revoke()
		err := send(c, n)
		if !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter == 0 || len(n.shown) != 2 {
			t.Errorf("%s: %v after %d calls", name, err, len(n.shown))
		}
		if err := send(c, n); err != nil || n.requests() != 2 {
			t.Errorf("%s, again: %v, %d requests for a token", name, err, n.requests())
		}
	}
}

// A service that refuses every token is an outage, and no reason to ask for one each time.
func TestToken_AlwaysRefused(t *testing.T) {
	n := newTenant(t)
	c := n.client(upstream.Options{})
	n.answers(func(w http.ResponseWriter, _ *http.Request) {
		n.revoke()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"%s%d","expires_in":299}`, tokenStem, n.requests())
	})
	for i := range 50 {
		err := c.JSON(t.Context(), get, nil)
		if !fault.Is(err, fault.PlatformUnavailable) {
			t.Fatal(err)
		}
		untold(t, err.Error())
		if i == 0 && (len(n.shown) != 2 || n.requests() != 2) {
			t.Errorf("one call: sent %d times, with %d requests for a token", len(n.shown), n.requests())
		}
	}
	if got := n.requests(); got > 6 {
		t.Errorf("%d requests for a token", got)
	}
	if c.Circuit() != "closed" {
		t.Errorf("the circuit is %s", c.Circuit())
	}
	untold(t, n.log.String())
}

func TestToken_EndpointFailureIsOutage(t *testing.T) {
	stall := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	elsewhere := platform(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked with %q", r.Header.Get("Authorization")) })
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"invalid_client":    {answering(401, "application/json", `{"error":"invalid_client","error_description":"`+clientSecret+`"}`), "answered 401: invalid_client"},
		"400":               {answering(400, "application/json", `{"error":"`+clientSecret+`"}`), "answered 400"},
		"403 in HTML":       {answering(403, "text/html", "<html>"+clientSecret), "answered 403"},
		"500":               {answering(500, "text/plain", "error="+clientSecret), "answered 500"},
		"HTML":              {answering(200, "text/html", "<html>"+tokenStem), "without a token"},
		"no token":          {answering(200, "application/json", `{"expires_in":299}`), "without a token"},
		"an error as 200":   {answering(200, "application/json", `{"error":"invalid_scope"}`), "answered 200: invalid_scope"},
		"nothing":           {answering(200, "application/json", ""), "without a token"},
		"garbage":           {answering(200, "application/json", `{"access_token":`+tokenStem), "without a token"},
		"a life in words":   {answering(200, "application/json", `{"access_token":"`+tokenStem+`","expires_in":"`+tokenStem+`"}`), "without a token"},
		"an injected token": {answering(200, "application/json", `{"access_token":"`+tokenStem+`\r\nX: y"}`), "no header can carry"},
		"a long token":      {answering(200, "application/json", `{"access_token":"`+strings.Repeat("x", 17<<10)+`"}`), "no header can carry"},
		"another type":      {answering(200, "application/json", `{"access_token":"`+tokenStem+`","token_type":"mac"}`), "another type"},
		"a redirect":        {http.RedirectHandler(elsewhere, http.StatusTemporaryRedirect).ServeHTTP, "answered 307"},
		"silence":           {stall, "in time"},
		"a drip": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
			}
		}, "token"},
		"cut off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
		"not HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, url.QueryEscape(clientSecret)+"\r\n\r\n")
			conn.Close()
		}, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			n := newTenant(t)
			n.answers(tt.answer)
			c := n.client(upstream.Options{Timeout: 500 * time.Millisecond})
			var errs []string
			for range 20 {
				err := c.JSON(t.Context(), get, nil)
				if !fault.Is(err, fault.PlatformUnavailable) || fault.From(err).RetryAfter == 0 {
					t.Fatal(err)
				}
				errs = append(errs, err.Error())
			}
			if len(n.shown) != 0 || n.requests() != 1 {
				t.Errorf("%d calls, %d requests for a token", len(n.shown), n.requests())
			}
			if !strings.Contains(n.log.String(), tt.want) || c.Circuit() != "closed" {
				t.Errorf("the circuit is %s, the log says %s", c.Circuit(), n.log.String())
			}
			untold(t, append(errs, n.log.String())...)
			n.advance(time.Second)
			n.answers(nil)
			if err := c.JSON(t.Context(), get, nil); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// The pause between requests doubles, up to 16 s.
func TestToken_BackoffAfterEndpointFailures(t *testing.T) {
	n := newTenant(t)
	n.answers(answering(401, "application/json", `{"error":"invalid_client"}`))
	c := n.client(upstream.Options{})
	for i, seconds := range []int{1, 2, 4, 8, 16, 16} {
		pause := time.Duration(seconds) * time.Second
		for range 3 {
			if err := c.JSON(t.Context(), get, nil); !fault.Is(err, fault.PlatformUnavailable) {
				t.Fatal(err)
			}
		}
		if n.requests() != i+1 {
			t.Fatalf("%d requests for a token before pause %d", n.requests(), i)
		}
		n.advance(pause - time.Millisecond)
		if err := c.JSON(t.Context(), get, nil); err == nil || n.requests() != i+1 {
			t.Fatalf("%d requests for a token within pause %d", n.requests(), i)
		}
		n.advance(time.Millisecond)
	}
}

// A token endpoint with a certificate that is not trusted is an outage as well.
func TestToken_UntrustedEndpointIsOutage(t *testing.T) {
	n := newTenant(t)
	endpoint := httptest.NewUnstartedServer(http.HandlerFunc(n.endpoint))
	endpoint.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	endpoint.StartTLS()
	t.Cleanup(endpoint.Close)
	c := client(t, n.url, upstream.Options{Logger: n.log.Logger(), Now: n.clock, OAuth: &upstream.OAuth{ID: clientID, Secret: clientSecret, TokenURL: endpoint.URL}})
	if err := c.JSON(t.Context(), get, nil); !fault.Is(err, fault.PlatformUnavailable) || n.requests() != 0 {
		t.Errorf("%v, %d requests for a token", err, n.requests())
	}
}
