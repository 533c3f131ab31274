package upstream_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/reqctx"
	"countersign/internal/upstream"
)

func request(t *testing.T, ctx context.Context, url string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRelay_SendsOwnCredentialOnly(t *testing.T) {
	var got http.Header
	var host string
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		got, host = r.Header.Clone(), r.Host
		w.Header().Set("log-correlation-id", "corr-1")
		w.WriteHeader(http.StatusAccepted)
		io.Copy(w, r.Body)
	})
	var o observer
	c := client(t, url+"/v1", o.options(upstream.Options{Authorization: secret, MaxResponse: 1}))
	info := &reqctx.Info{ID: "req-1"}
	r := request(t, context.WithValue(t.Context(), reqctx.Key{}, info), url+"/v1/api/packages", strings.NewReader("%PDF-1.7"))
	r.Header.Set("Authorization", "Bearer token-of-the-session")
	r.Header.Set("Cookie", "countersign=token-of-the-session")
	r.Host = "countersign.example"
	response, err := c.Relay("relay", r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "%PDF-1.7" || response.StatusCode != http.StatusAccepted {
		t.Errorf("answer %d %q, %v", response.StatusCode, body, err)
	}
	if got.Get("Authorization") != secret || got.Get("Cookie") != "" || got.Get("X-Request-Id") != "req-1" || !strings.HasPrefix(url, "http://"+host) {
		t.Errorf("the platform got %v for %s", got, host)
	}
	if r.Header.Get("Authorization") != "Bearer token-of-the-session" {
		t.Error("the request of the relay was changed")
	}
	if got := info.Correlations(); len(got) != 1 || !slices.Equal(o.heard, []string{"relay 202"}) {
		t.Errorf("correlations = %q, heard %q", got, o.heard)
	}
}

func TestRelay_StaysUnderBaseURL(t *testing.T) {
	url := platform(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("called: %s", r.URL) })
	c := client(t, url+"/v1", upstream.Options{Authorization: secret})
	other := platform(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("called: %s", r.URL) })
	for _, target := range []string{
		other + "/v1/api", url + "/", url + "/v1", url + "/v2/api", url + "/v1x/api",
		url + "/v1/../admin", url + "/v1/a/%2e%2E/b", url + "/v1/..%2fadmin", strings.Replace(url, "http", "https", 1) + "/v1/api",
	} {
		if _, err := c.Relay("relay", request(t, t.Context(), target, nil)); !fault.Is(err, fault.ServerInternal) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// brokenOff is a body that ends with an error of ours.
type brokenOff struct{ said bool }

func (b *brokenOff) Read(p []byte) (int, error) {
	if b.said {
		return 0, fault.New(fault.RequestTooLarge)
	}
	b.said = true
	return copy(p, "a part"), nil
}

func TestRelay_RequestTooLarge(t *testing.T) {
	ended := make(chan error, 1)
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		ended <- err
	})
	_, err := client(t, url, upstream.Options{OutagesToOpen: 1}).Relay("createPackage", request(t, t.Context(), url+"/api", &brokenOff{}))
	if !fault.Is(err, fault.RequestTooLarge) {
		t.Errorf("error = %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the platform got a whole body")
	}
}

func TestRelay_PlatformStalls(t *testing.T) {
	for name, stall := range map[string]func(http.ResponseWriter, *http.Request){
		"before the response": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"while it is sent": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := platform(t, stall)
			c := client(t, url, upstream.Options{Timeout: 50 * time.Millisecond})
			response, err := c.Relay("getDocumentPdf", request(t, t.Context(), url+"/api", nil))
			if err != nil {
				if !fault.Is(err, fault.PlatformUnavailable) {
					t.Errorf("error = %v", err)
				}
				return
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err == nil || string(body) != "half" {
				t.Errorf("read %q, %v", body, err)
			}
		})
	}
}

// TestRelay_SlowClient: a client that is slow does not use up the platform's time.
func TestRelay_SlowClient(t *testing.T) {
	url := platform(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	c := client(t, url, upstream.Options{Timeout: 2 * time.Second})
	slow, write := io.Pipe()
	time.AfterFunc(2500*time.Millisecond, func() {
		io.WriteString(write, "late")
		write.Close()
	})
	response, err := c.Relay("createPackage", request(t, t.Context(), url+"/api", slow))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); string(body) != "late" {
		t.Errorf("%q, %v", body, err)
	}
}
