package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"countersign/internal/config"
	"countersign/internal/redisdb"
	"countersign/internal/sandbox"
	"countersign/internal/upstream"
	"countersign/web"
)

// App is the whole program, bootable: New, Open, URL, Close. Tests drive the
// very App that ships, on port 0.
type App struct {
	config config.Config
	logger *slog.Logger
	now    func() time.Time
	failed chan error

	public, admin, platform *listener
	sandbox                 *sandbox.Server
	redis                   *redisdb.DB
	upstream                *upstream.Client
	readiness               *web.Readiness
	watch                   background
}

// New is the App of settings that were checked by config.Load. Nothing is
// opened yet.
func New(cfg config.Config, logger *slog.Logger) *App {
	return &App{config: cfg, logger: logger, now: time.Now, failed: make(chan error, 3)}
}

// Open takes the addresses, connects what is wired together and begins to
// serve. Redis and the platform may be down: then requests are answered 503
// until they are up. On an error everything is closed again.
func (a *App) Open(ctx context.Context) error {
	if err := a.open(ctx); err != nil {
		return errors.Join(err, a.Close(ctx))
	}
	return nil
}

func (a *App) open(ctx context.Context) (err error) {
	for _, warning := range a.config.Warnings {
		a.logger.Warn("setting", "warning", warning)
	}
	if a.public, err = listen(ctx, "COUNTERSIGN_ADDR", a.config.Addr); err != nil {
		return err
	}
	a.config = a.config.WithPort(a.public.port())
	if a.admin, err = listen(ctx, "COUNTERSIGN_ADMIN_ADDR", a.config.AdminAddr); err != nil {
		return err
	}
	metrics := web.NewMetrics()
	if err = a.openPlatform(ctx, metrics); err != nil {
		return err
	}
	if err = a.openRedis(ctx); err != nil {
		return err
	}
	handler, err := a.wire(metrics)
	if err != nil {
		return err
	}
	// The platform is not asked: while it is down, Countersign still answers, and
	// says so.
	a.readiness = web.NewReadiness(metrics, a.logger, a.redis)
	a.public.serve(handler, a.logger, a.failed)
	a.admin.serve(web.Admin(metrics, a.readiness), a.logger, a.failed)
	a.logStart()
	a.watch.start(ctx, a.readiness.Watch)
	return nil
}

// openPlatform connects to the identity platform; embedded, it serves the
// sandbox first.
func (a *App) openPlatform(ctx context.Context, metrics *web.Metrics) (err error) {
	base := a.config.IdentityURL()
	authorization := a.config.Identity.Authorization
	if !a.config.Production() {
		if a.platform, a.sandbox, err = openSandbox(ctx, a.config, a.logger, a.failed); err != nil {
			return err
		}
		base = a.platform.url()
		if a.config.Sandbox.APIKey != "" {
			authorization = "Basic " + a.config.Sandbox.APIKey
		}
	}
	options := upstream.Options{
		Name:          "identity",
		BaseURL:       base,
		Authorization: authorization,
		Timeout:       a.config.UpstreamTimeout,
		Logger:        a.logger,
		Observe:       metrics.Calls("identity"),
		Now:           a.now,
	}
	if strings.HasPrefix(base, "https:") {
		options.TLS = a.config.IdentityTLS()
	}
	if a.upstream, err = upstream.New(options); err != nil {
		return err
	}
	metrics.Circuit(options.Name, a.upstream.Circuit)
	return nil
}

func (a *App) openRedis(ctx context.Context) (err error) {
	a.redis, err = redisdb.Open(ctx, redisdb.Options{
		URL:      a.config.Redis.URL,
		Mode:     a.config.Redis.Mode,
		Embedded: a.config.EmbeddedRedis(),
		Now:      a.now,
		Logger:   a.logger,
	})
	return err
}

// URL is the origin people use.
func (a *App) URL() string { return a.config.PublicOrigin.String() }

// AdminURL is the address of health, metrics and profiles.
func (a *App) AdminURL() string { return a.admin.url() }

// SandboxURL is the address of the embedded platform; empty in production.
func (a *App) SandboxURL() string {
	if a.platform == nil {
		return ""
	}
	return a.platform.url()
}

// Failed tells of a listener that ended by itself.
func (a *App) Failed() <-chan error { return a.failed }

// Close says so on /readyz and in the log, then stops taking requests, lets those
// under way finish until ctx ends, and closes what Open opened, the platform last.
func (a *App) Close(ctx context.Context) error {
	if a.readiness == nil { // it never began
		return a.closeAll(ctx)
	}
	a.readiness.Stop()
	a.logger.Info("stopping")
	begin := a.now()
	err := a.closeAll(ctx)
	if took := a.now().Sub(begin); err != nil {
		a.logger.Warn("stopped", "duration", took, "cause", err.Error())
	} else {
		a.logger.Info("stopped", "duration", took)
	}
	return err
}

func (a *App) closeAll(ctx context.Context) error {
	// The admin address outlives the public one, so that /readyz can be asked.
	errs := []error{a.public.close(ctx), a.admin.close(ctx)}
	a.watch.end()
	if a.upstream != nil {
		a.upstream.Close()
	}
	if a.redis != nil {
		errs = append(errs, a.redis.Close())
	}
	if a.sandbox != nil {
		a.sandbox.Close()
	}
	errs = append(errs, a.platform.close(ctx))
	return errors.Join(errs...)
}

// logStart tells the log what began, and where.
func (a *App) logStart() {
	mode, redis := "embedded", "embedded"
	if a.config.Production() {
		mode = "production"
	}
	if !a.config.EmbeddedRedis() {
		redis = a.config.Redis.Mode
	}
	a.logger.Info("started", "version", version(), "mode", mode, "origin", a.URL(),
		"address", a.public.Addr().String(), "admin", a.admin.Addr().String(),
		"platform", a.upstream.URL().Host, "redis", redis)
}

// Banner tells a person what runs where.
func (a *App) Banner(w io.Writer) {
	fmt.Fprintf(w, "\n  Countersign   %s\n", a.URL())
	if a.sandbox != nil {
		sandboxBanner(w, a.SandboxURL())
	}
	if a.config.EmbeddedRedis() {
		fmt.Fprint(w, "  Sessions      in an embedded Redis: they end when this process does\n")
	}
	fmt.Fprintf(w, "  Admin         %s   (/healthz /readyz /metrics)\n\n", a.AdminURL())
}
