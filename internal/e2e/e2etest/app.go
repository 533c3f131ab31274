// Package e2etest is the harness of the end-to-end tests: it boots the very program that
// ships, on separate ports, and talks to it like browsers, apps and the platform's
// people. It contains no tests.
package e2etest

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"countersign/internal/app"
	"countersign/internal/sandbox/pdf/pdftest"
	"countersign/web/openapitest"
)

// Every test program is also the PDF worker of the Apps that it opens.
var _ = pdftest.Serve()

// App is Countersign under test.
type App struct {
	*app.App
	platform string // the address of a separate sandbox
	contract sync.Once
	checker  *openapitest.Checker // set by contract
}

// SandboxURL returns the address of the sandbox, embedded or separate.
func (a *App) SandboxURL() string { return cmp.Or(a.platform, a.App.SandboxURL()) }

// Host returns the Host header of requests to the public origin.
func (a *App) Host() string {
	origin, err := url.Parse(a.URL())
	if err != nil {
		panic(err) // it was parsed from such a URL
	}
	return origin.Host
}

// Boot starts Countersign with further settings, NAME=value each without the
// prefix, and closes it when the test is over.
func Boot(t testing.TB, settings ...string) *App {
	t.Helper()
	return BootTo(t, io.Discard, settings...)
}

// BootTo is Boot with a log.
func BootTo(t testing.TB, log io.Writer, settings ...string) *App {
	t.Helper()
	return start(t, Unopened(t, log, settings...))
}

// BootPatiently is Boot with a longer Redis time-out, for a slow and busy machine.
func BootPatiently(t testing.TB, settings ...string) *App {
	t.Helper()
	return start(t, unopened(t, options{log: io.Discard, now: time.Now, redisTimeout: patience}, embedded(settings)))
}

// BootPatientlyWithClock is BootPatiently with a separate clock.
func BootPatientlyWithClock(t testing.TB, settings ...string) (*App, *Clock) {
	t.Helper()
	clock := &Clock{}
	return start(t, unopened(t, options{log: io.Discard, now: clock.Now, redisTimeout: patience}, embedded(settings))), clock
}

// Unopened returns Countersign, ready to be opened.
func Unopened(t testing.TB, log io.Writer, settings ...string) *App {
	t.Helper()
	return unopened(t, options{log: log, now: time.Now}, embedded(settings))
}

// embedded returns settings with an embedded sandbox.
func embedded(settings []string) []string {
	return append([]string{"SANDBOX_ADDR=127.0.0.1:0"}, settings...)
}

// options are the properties of an App besides its settings.
type options struct {
	log          io.Writer
	now          func() time.Time
	redisTimeout time.Duration
}

func unopened(t testing.TB, o options, settings []string) *App {
	t.Helper()
	environ := []string{
		"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0",
		"COUNTERSIGN_RATE_SIGN_IN=off", "COUNTERSIGN_RATE_SIGN_IN_ADDRESS=off",
		"COUNTERSIGN_TRUSTED_PROXIES=127.0.0.0/8", "COUNTERSIGN_RATE_PUSH=off", "COUNTERSIGN_RATE_CEREMONY=off", "COUNTERSIGN_RATE_CEREMONY_ADDRESS=off",
	}
	for _, s := range settings {
		environ = append(environ, "COUNTERSIGN_"+s)
	}
	cfg, err := app.Settings(environ, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return &App{App: app.New(app.Options{
		Config: cfg, Logger: slog.New(slog.NewTextHandler(o.log, nil)), Now: o.now, Version: "test", Stdout: io.Discard,
		RedisTimeout: o.redisTimeout, PDF: pdftest.Options(), Exchange: judged(t),
	})}
}

// drain limits how long requests under way may take when an App closes.
const drain = 10 * time.Second

// start opens app, and waits until the index of packages is built.
func start(t testing.TB, app *App) *App {
	t.Helper()
	Open(t, app)
	Eventually(t, "the index of packages is built", func() bool { return !Has(Asked(t, app, "/metrics").Body, "countersign_signing_index_built 0") })
	return app
}

// Open opens app, and closes it when the test is over. Its index of packages may not be
// built yet, and never is where the platform has no list of them.
func Open(t testing.TB, app *App) *App {
	t.Helper()
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		if err := app.Close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return app
}
