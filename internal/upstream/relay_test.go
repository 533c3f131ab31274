package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
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

func TestARelayCarriesOurCredentialAlone(t *testing.T) {
	var got http.Header
	var host string
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		got, host = r.Header.Clone(), r.Host
		w.Header().Set("log-correlation-id", "corr-1")
		w.WriteHeader(http.StatusConflict)
		io.Copy(w, r.Body)
	})
	c := client(t, url+"/v1", upstream.Options{Authorization: secret, MaxResponse: 1})
	info := &reqctx.Info{ID: "req-1"}
	r := request(t, reqctx.With(t.Context(), info), url+"/v1/api/packages", strings.NewReader("%PDF-1.7"))
	r.Header.Set("Authorization", "Bearer token-of-the-session")
	r.Header.Set("Cookie", "countersign=token-of-the-session")
	r.Host = "countersign.example"
	response, err := c.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "%PDF-1.7" || response.StatusCode != http.StatusConflict {
		t.Errorf("answer %d %q, %v", response.StatusCode, body, err)
	}
	if got.Get("Authorization") != secret || got.Get("Cookie") != "" || got.Get("X-Request-Id") != "req-1" || !strings.HasPrefix(url, "http://"+host) {
		t.Errorf("the platform got %v for %s", got, host)
	}
	if r.Header.Get("Authorization") != "Bearer token-of-the-session" {
		t.Error("the request of the relay was changed")
	}
	if len(info.Correlations) != 1 {
		t.Errorf("correlations = %q", info.Correlations)
	}
}

func TestARelayStaysUnderTheBaseAddress(t *testing.T) {
	url := platform(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("called: %s", r.URL) })
	c := client(t, url+"/v1", upstream.Options{Authorization: secret})
	other := platform(t, func(w http.ResponseWriter, r *http.Request) { t.Errorf("called: %s", r.URL) })
	for _, target := range []string{
		other + "/v1/api", url + "/", url + "/v1", url + "/v2/api", url + "/v1x/api",
		url + "/v1/../admin", url + "/v1/a/%2e%2E/b", url + "/v1/..%2fadmin", strings.Replace(url, "http", "https", 1) + "/v1/api",
	} {
		if _, err := c.RoundTrip(request(t, t.Context(), target, nil)); !fault.Is(err, fault.ServerInternal) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestARelayUnderTheCircuit(t *testing.T) {
	url, calls := script(t, 503, 503, 502)
	c := client(t, url, upstream.Options{OutagesToOpen: 3, OpenFor: time.Hour})
	for range 3 {
		response, err := c.RoundTrip(request(t, t.Context(), url+"/api", nil))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if _, err := c.RoundTrip(request(t, t.Context(), url+"/api", nil)); !fault.Is(err, fault.PlatformUnavailable) {
		t.Errorf("error = %v", err)
	}
	if calls.Load() != 3 {
		t.Errorf("%d calls", calls.Load())
	}
}

func TestARelayGivenUpGivesItsTrialBack(t *testing.T) {
	c, arrived, end := trial(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := c.RoundTrip(request(t, ctx, c.URL().String()+"/api", nil))
		result <- err
	}()
	<-arrived
	cancel()
	if err := <-result; !fault.Is(err, fault.RequestCancelled) {
		t.Errorf("error = %v", err)
	}
	end <- http.StatusOK
	if err := c.JSON(t.Context(), post, nil); err != nil {
		t.Errorf("no trial after the one given up: %v", err)
	}
}

func TestAReverseProxyOverAClient(t *testing.T) {
	url := platform(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.URL.Path+" "+r.Header.Get("Authorization"))
	})
	c := client(t, url+"/v1", upstream.Options{Authorization: secret})
	front := httptest.NewServer(&httputil.ReverseProxy{
		Transport: c,
		Rewrite:   func(p *httputil.ProxyRequest) { p.SetURL(c.URL()) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Errorf("not a fault: %v", err)
			}
			w.WriteHeader(fault.From(err).Row().Status)
		},
	})
	t.Cleanup(front.Close)
	response, err := front.Client().Get(front.URL + "/api/packages")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != "/v1/api/packages "+secret {
		t.Errorf("relayed %q", body)
	}
}
