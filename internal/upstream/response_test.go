package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

func TestError_KeyByStatus(t *testing.T) {
	const conflict = `{"error":"Conflict","message":"User is locked"}`
	tests := []struct {
		status int
		want   fault.Key
	}{
		{301, fault.PlatformFailed}, {302, fault.PlatformFailed}, {304, fault.PlatformFailed}, {307, fault.PlatformFailed},
		{400, fault.PlatformRefused}, {401, fault.PlatformFailed}, {403, fault.PlatformFailed},
		{404, fault.PlatformRefused}, {405, fault.PlatformRefused}, {408, fault.PlatformRefused},
		{409, fault.PlatformRefused}, {418, fault.PlatformRefused}, {422, fault.PlatformRefused},
		{429, fault.PlatformUnavailable},
		{500, fault.PlatformFailed}, {501, fault.PlatformFailed}, {502, fault.PlatformFailed},
		{503, fault.PlatformUnavailable}, {504, fault.PlatformFailed}, {599, fault.PlatformFailed},
	}
	for _, tt := range tests {
		t.Run(http.StatusText(tt.status), func(t *testing.T) {
			url := platform(t, answering(tt.status, "application/json", conflict))
			err := client(t, url, upstream.Options{}).JSON(t.Context(), post, nil)
			if !fault.Is(err, tt.want) {
				t.Fatalf("%d became %v, want %s", tt.status, err, tt.want)
			}
			var said *upstream.Error
			if !errors.As(err, &said) || said.Status != tt.status || said.Operation != "login" {
				t.Errorf("%d: what the platform said is lost: %#v", tt.status, said)
			}
			if unavailable := tt.want == fault.PlatformUnavailable; unavailable != (fault.From(err).RetryAfter > 0) {
				t.Errorf("%d: Retry-After = %v", tt.status, fault.From(err).RetryAfter)
			}
		})
	}
}

func TestRetryAfter_FromPlatform(t *testing.T) {
	const date = "Mon, 02 Jan 2006 15:04:05 GMT"
	tests := []struct {
		name, value string
		want        time.Duration
	}{
		{"seconds", "7", 7 * time.Second},
		{"zero", "0", time.Second},
		{"too long", "86400", 5 * time.Minute},
		{"far too long", "99999999999999999999", 5 * time.Second},
		{"negative", "-3", 5 * time.Second},
		{"date", "Mon, 02 Jan 2006 15:04:35 GMT", 30 * time.Second},
		{"past date", "Mon, 02 Jan 2006 15:03:05 GMT", time.Second},
		{"nonsense", "soon", 5 * time.Second},
		{"none", "", 5 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := platform(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", date)
				if tt.value != "" {
					w.Header().Set("Retry-After", tt.value)
				}
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			err := client(t, url, upstream.Options{}).JSON(t.Context(), post, nil)
			if got := fault.From(err).RetryAfter; got != tt.want {
				t.Errorf("Retry-After %q became %v, want %v", tt.value, got, tt.want)
			}
		})
	}
}

func TestResponse_Unusable(t *testing.T) {
	tests := []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"html", answering(200, "text/html", "<html>welcome</html>"), "decode the response"},
		{"half a document", answering(200, "application/json", `{"sessionStatus":"acc`), "decode the response"},
		{"two documents", answering(200, "application/json", `{}{}`), "decode the response"},
		{"another type", answering(200, "application/json", `{"sessionStatus":7}`), "decode the response"},
		{"a member twice", answering(200, "application/json", `{"sessionStatus":"refused","sessionStatus":"accepted"}`), "decode the response"},
		{"Latin-1", answering(200, "application/json; charset=ISO-8859-1", "{\"sessionStatus\":\"\xe9\"}"), "decode the response"},
		{"too large", answering(200, "application/json", `{"sessionStatus":"`+strings.Repeat("a", 1000)+`"}`), "longer than 512 bytes"},
		{"endless", endless, "longer than 512 bytes"},
		{"cut", cut, "broke off"},
		{"endless header", endlessHeader, "login"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, platform(t, tt.h), upstream.Options{MaxResponse: 512})
			var out struct {
				SessionStatus string `json:"sessionStatus"`
			}
			err := c.JSON(t.Context(), post, &out)
			if tt.name == "endless header" {
				// The transport gives such a connection up before there is an answer.
				if !fault.Is(err, fault.PlatformUnavailable) {
					t.Errorf("error = %v", err)
				}
				return
			}
			if !fault.Is(err, fault.PlatformFailed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want platform.failed: … %s", err, tt.want)
			}
		})
	}
}

// endless sends a body without end, until the client hangs up.
func endless(w http.ResponseWriter, _ *http.Request) {
	for {
		if _, err := io.WriteString(w, strings.Repeat("a", 1<<10)); err != nil {
			return
		}
	}
}

// endlessHeader sends a header far over the limit.
func endlessHeader(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Long", strings.Repeat("a", 256<<10))
}

// cut sends less than its Content-Length.
func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	io.WriteString(w, `{"sessionStatus":"accepted"}`)
}

func TestError_OversizeBodyKeepsStatus(t *testing.T) {
	body := `{"error":"Conflict","message":"User is locked","padding":"` + strings.Repeat("a", 1<<20) + `"}`
	for status, want := range map[int]fault.Key{409: fault.PlatformRefused, 503: fault.PlatformUnavailable} {
		url := platform(t, answering(status, "application/json", body))
		err := client(t, url, upstream.Options{MaxResponse: 512}).JSON(t.Context(), post, nil)
		var said *upstream.Error
		if !fault.Is(err, want) || !errors.As(err, &said) {
			t.Fatalf("error = %v, want %s", err, want)
		}
		if said.Message != "User is locked" || len(said.Body) > 128<<10 {
			t.Errorf("message %q, %d bytes kept", said.Message, len(said.Body))
		}
	}
}

func TestCall_StallEndsAtTimeout(t *testing.T) {
	stalls := map[string]http.HandlerFunc{
		"before the header": func(w http.ResponseWriter, r *http.Request) { drainAndWait(r) },
		"within the body": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"sessionStatus":`)
			w.(http.Flusher).Flush()
			drainAndWait(r)
		},
		"drop by drop": func(w http.ResponseWriter, r *http.Request) {
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				<-tick.C
			}
		},
	}
	for name, h := range stalls {
		for _, call := range []upstream.Call{get, post} {
			t.Run(name+" "+call.Method, func(t *testing.T) {
				const limit = 100 * time.Millisecond
				c := client(t, platform(t, h), upstream.Options{Timeout: limit})
				soon(t, 10*limit, func() bool {
					var out any
					err := c.JSON(t.Context(), call, &out)
					if !fault.Is(err, fault.PlatformUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("error = %v", err)
					}
					return true
				})
			})
		}
	}
}

func drainAndWait(r *http.Request) {
	io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// The deadline of the request and the call's own limit end a call before the client's does.
func TestCall_EarlierDeadlineKept(t *testing.T) {
	c := client(t, platform(t, func(_ http.ResponseWriter, r *http.Request) { drainAndWait(r) }), upstream.Options{Timeout: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	short := post
	short.Timeout = 50 * time.Millisecond
	for _, err := range []error{c.JSON(ctx, get, nil), c.JSON(t.Context(), short, nil)} {
		if !fault.Is(err, fault.PlatformUnavailable) {
			t.Errorf("error = %v", err)
		}
	}
}

func TestCredential_NotSentOnRedirect(t *testing.T) {
	var elsewhere []string
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.Method+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(evil.Close)
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil.URL+"/users/alice", http.StatusTemporaryRedirect)
	})
	c := client(t, url, upstream.Options{Authorization: secret})
	for _, call := range []upstream.Call{get, post} {
		if err := c.JSON(t.Context(), call, nil); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("a redirect: %v", err)
		}
	}
	t.Setenv("HTTP_PROXY", evil.URL)
	remote := client(t, "http://platform.invalid", upstream.Options{Authorization: secret, Timeout: time.Second})
	if err := remote.JSON(t.Context(), post, nil); !fault.Is(err, fault.PlatformUnavailable) {
		t.Errorf("a proxy of the environment: %v", err)
	}
	host := strings.TrimPrefix(evil.URL, "http://")
	for _, path := range []string{"@" + host + "/", ".evil.example/", "", "//" + host + "/x\x7f", "/../admin", "/a/%2e%2e/b", "/a/./b"} {
		call := get
		call.Path = path
		err := c.JSON(t.Context(), call, nil)
		if !fault.Is(err, fault.ServerInternal) {
			t.Errorf("path %q: %v", path, err)
		}
	}
	if len(elsewhere) > 0 {
		t.Errorf("another host was called: %q", elsewhere)
	}
}
