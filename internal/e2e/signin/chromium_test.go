package signin_test

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// secured is Countersign behind a proxy that ends TLS. It notes what reaches it.
type secured struct {
	*e2etest.App
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func secure(t *testing.T, settings ...string) *secured {
	t.Helper()
	s := &secured{Server: httptest.NewUnstartedServer(nil)}
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	s.App = e2etest.Boot(t, append(settings, "PUBLIC_ORIGIN=https://localhost:"+port)...)
	to, err := url.Parse(s.ListenURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		ModifyResponse: func(r *http.Response) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.seen = append(s.seen, r.Request.Method+" "+r.Request.URL.Path+" "+r.Status[:3])
			return nil
		},
	}
	s.Config.Handler = proxy
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// count returns how often that has reached the site.
func (s *secured) count(what string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.seen {
		if one == what {
			n++
		}
	}
	return n
}

// all returns what has reached the site.
func (s *secured) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// pin names the site's key for Chromium, which takes no other certificate of an unknown authority
// for good enough to bind to.
func (s *secured) pin(t *testing.T) string {
	t.Helper()
	c, err := x509.ParseCertificate(s.TLS.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// chromiumOf opens a tab of Chromium with keys in software. The shell of it binds nothing.
func chromiumOf(t *testing.T, s *secured) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed: no browser binds a session here")
	}
	allocator, stop := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("headless", "new"),
		chromedp.Flag("enable-features", "DeviceBoundSessions,EnableBoundSessionCredentialsSoftwareKeysForManualTesting"),
		chromedp.Flag("ignore-certificate-errors-spki-list", s.pin(t)),
		chromedp.WSURLReadTimeout(time.Minute),
	)...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// chromium is a tab that signs in and binds.
type chromium struct {
	*testing.T
	*secured
	ctx context.Context
}

func (b chromium) run(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.Fatalf("%v; what reached us: %q", err, b.all())
	}
}

const boundCookie = "__Host-countersign-bound"

var errUnbound = errors.New("no bound cookie")

func (b chromium) isBound() bool {
	b.Helper()
	err := chromedp.Do(b.ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		kept, err := cdp.Call(ctx, target, network.GetCookies, network.GetCookiesParams{URLs: []string{b.App.URL()}})
		if err == nil && !slices.ContainsFunc(kept.Cookies, func(c *network.Cookie) bool { return c.Name == boundCookie }) {
			err = errUnbound
		}
		return err
	}))
	if err != nil && !errors.Is(err, errUnbound) {
		b.Fatal(err)
	}
	return err == nil
}

// forget deletes the bound cookie, as its age does.
func (b chromium) forget() {
	b.Helper()
	b.run(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, network.DeleteCookies, network.DeleteCookiesParams{Name: boundCookie, URL: b.App.URL()})
		return err
	}))
}

// enter submits a form of the page once its input is there: a page that is just being left
// has nodes that are gone when they are typed into.
func (b chromium) enter(input, text string) {
	b.Helper()
	form := fmt.Sprintf(`{const input = document.querySelector('input[name=%s]'); const there = document.readyState === "complete" && input !== null;
		if (there) { input.value = %q; setTimeout(() => input.form.requestSubmit()); } there}`, input, text)
	e2etest.Eventually(b, "the page asks for the "+input, func() bool {
		there, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](form))
		return err == nil && there
	})
}

// bindsInChromium signs alice in, and waits until Chromium has bound the session.
func bindsInChromium(t *testing.T) chromium {
	t.Helper()
	s := secure(t, "BROWSER_SESSIONS=bound")
	ctx, cancel := context.WithTimeout(chromiumOf(t, s), 2*time.Minute)
	t.Cleanup(cancel)
	b := chromium{t, s, ctx}
	b.run(chromedp.Navigate(s.App.URL() + "/login"))
	b.enter("user", alice)
	b.enter("password", "Sandbox-1!")
	e2etest.Eventually(t, "Chromium has bound the session", b.isBound)
	if s.count("POST "+registers+" 200") != 1 {
		t.Fatalf("what reached us: %q", s.all())
	}
	return b
}

// Chromium binds the session of a sign-in by itself, and renews its cookie before it lets a form
// go out without.
func TestChromium_BindsSession(t *testing.T) {
	b := bindsInChromium(t)
	b.forget()
	b.run(chromedp.Navigate(b.App.URL() + "/account"))
	if !b.isBound() || b.count("POST "+renews+" 403") != 1 || b.count("POST "+renews+" 200") != 1 {
		t.Fatalf("what reached us: %q", b.all())
	}
}
