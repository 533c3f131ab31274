package app

import (
	"fmt"
	"io"
)

// URL returns the origin that people use.
func (a *App) URL() string { return a.config.PublicOrigin.String() }

// ListenURL returns the address of the public listener, which differs from URL behind a
// proxy.
func (a *App) ListenURL() string { return a.public.url() }

// AdminURL returns the address of health, metrics and profiles.
func (a *App) AdminURL() string { return a.admin.url() }

// SandboxURL returns the address of the embedded platform; empty in production.
func (a *App) SandboxURL() string {
	if a.sandbox == nil {
		return ""
	}
	return a.sandbox.URL()
}

// Failed receives the error of a listener that ended by itself.
func (a *App) Failed() <-chan error { return a.failed }

// logStart logs that the program has started, and its addresses.
func (a *App) logStart() {
	mode, redis := "embedded", "embedded"
	if a.config.Production() {
		mode = "production"
	}
	if !a.config.EmbeddedRedis() {
		redis = a.config.Redis.Mode
	}
	a.logger.Info("started", "version", a.version, "mode", mode, "origin", a.URL(),
		"address", a.public.Addr().String(), "admin", a.admin.Addr().String(),
		"platform", a.upstream.URL().Host, "redis", redis)
}

// Banner writes the addresses for people.
func (a *App) Banner(w io.Writer) {
	fmt.Fprintf(w, "\n  Countersign   %s   (listening at %s)\n", a.URL(), a.ListenURL())
	if a.sandbox != nil {
		a.sandbox.banner(w)
	}
	if a.config.EmbeddedRedis() {
		fmt.Fprint(w, "  Sessions      in an embedded Redis: they end when this process does\n")
	}
	fmt.Fprintf(w, "  Admin         %s   (/healthz /readyz /metrics)\n\n", a.AdminURL())
}
