package browser_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf/pdftest"
)

// The browser tests use the pages like a person: in a real Chromium, finding things by
// their roles and names, never by the page's structure. All of them share one Chromium;
// each has its own cookies.

// TestMain closes the browser, if a test opened it.
func TestMain(m *testing.M) {
	if pdftest.Serve() {
		return
	}
	code := m.Run()
	closeChromium()
	os.Exit(code)
}

var closeChromium = func() {}

var chromium = sync.OnceValues(func() (context.Context, error) {
	path, err := exec.LookPath(chromiumName())
	if err != nil {
		return nil, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox, // it cannot be set up in a container, or as root
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		// Otherwise every window would show its address bar's suggestions as pages of
		// their own.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup"),
		chromedp.Flag("lang", "en-US"),
		chromedp.WindowSize(1280, 800),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	closeChromium = func() {
		cancel()
		stop()
	}
	return ctx, chromedp.Do(ctx)
})

// chromiumName returns the name of the browser's program on this machine. The shell is
// the same engine without a browser's window, in little more than half the processor time.
func chromiumName() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return "chromium"
}

// visit opens an empty tab in a new browser profile, to visit app.
func visit(t *testing.T, app *e2etest.App) *tab {
	t.Helper()
	parent, err := chromium()
	if err != nil {
		t.Fatalf("starting Chromium: %v", err)
	}
	if parent == nil {
		t.Skip("chromium is not installed: the pages are not tried in a browser")
	}
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return newTab(t, app, ctx)
}

// another opens a second tab of the same browser.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	return newTab(b.t, b.app, ctx)
}
