// Package app connects the packages to a program, listens, and runs background tasks. It reads
// no settings itself, and knows nothing of what a request means.
package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/apidoc"
	"countersign/internal/audit"
	"countersign/internal/config"
	"countersign/internal/events"
	"countersign/internal/i18n"
	"countersign/internal/identity/platform"
	"countersign/internal/pdf"
	"countersign/internal/redisdb"
	"countersign/internal/reload"
	"countersign/internal/sandbox/seed"
	"countersign/internal/upstream"
	"countersign/static"
	"countersign/web"
)

// Options configure an App.
type Options struct {
	Config config.Config // checked by Settings
	Logger *slog.Logger
	// LogLost returns the number of lines that the log could not write; nil stands for none.
	LogLost func() int64
	Now     func() time.Time
	Version string // for the log, the metrics and the platform
	// Public is the public listener; nil makes Open listen at the settings' address.
	Public net.Listener
	// Traces and Metrics are the destinations of spans and of metrics; the latter are sent every
	// MetricsEvery.
	Traces, Metrics Collector
	MetricsEvery    time.Duration
	// Stdout receives the audit trail if the settings say so; it is safe for concurrent use.
	Stdout io.Writer
	// RedisTimeout limits a command of Redis; 0 stands for the default of package
	// redisdb.
	RedisTimeout time.Duration
	// PDF starts this program as a worker that reads PDF documents; without a command,
	// documents are not read.
	PDF pdf.Options
	// Exchange, if given, is called with each exchange with the platform.
	Exchange func(apidoc.Exchange)
	// Seed is what a sandbox that runs alone holds at its beginning; nil is the demo world.
	Seed *seed.World
}

// App is Countersign as a value that can be started and stopped: New, Open, URL, Close.
// On port 0 any number of them run side by side.
type App struct {
	config  config.Config
	logger  *slog.Logger
	logLost func() int64
	now     func() time.Time
	version string
	failed  chan error

	redisTimeout time.Duration
	exchange     func(apidoc.Exchange)

	public, admin *listener
	sandbox       *Sandbox
	redis         *redisdb.DB
	repeats       *redisdb.FailoverReplay // nil where Redis is embedded
	proofRepeats  *redisdb.FailoverReplay // those of proofs, which are many; nil where Redis is embedded
	stores        stores
	documents     *pdf.Workers     // nil where documents are not read
	upstream      *upstream.Client // of the identity API
	identity      *platform.Client // over upstream
	limits        limits
	signing       *signingDomain      // nil where signing is not in use
	verification  *verificationDomain // nil where verification is not in use
	hub           *events.Hub         // nil where neither is
	trail         *audit.Trail
	notices       *audit.Notices // nil if no e-mail can be sent
	preferences   *audit.PreferenceStore
	bundle        *i18n.Bundle
	folder        *static.Folder // nil if no application is served
	traces        Collector
	collector     Collector // of metrics
	measure       time.Duration
	tracing       *sdktrace.TracerProvider // nil if no spans are made
	tracer        trace.Tracer             // nil if no spans are made
	stdout        io.Writer
	readiness     *web.Readiness
	live          live
	reloader      *reload.Reloader

	hubTask *task   // nil if there are no live pages
	tasks   []*task // in the order of their starts; the last is ended first
}

// New returns an App that is not open yet.
func New(o Options) *App {
	return &App{public: handed(o.Public), config: o.Config, logger: o.Logger, logLost: o.LogLost, now: o.Now, version: o.Version, documents: openDocuments(o.PDF, o.Logger), redisTimeout: o.RedisTimeout, exchange: o.Exchange, stdout: o.Stdout, traces: o.Traces, collector: o.Metrics, measure: o.MetricsEvery, failed: make(chan error, 3)}
}

// Open listens at the addresses, wires the packages together and begins to serve. Redis
// and the platform may be down: until they are up, requests are answered 503. On an error
// everything is closed again.
func (a *App) Open(ctx context.Context) error {
	if err := a.open(ctx); err != nil {
		return errors.Join(err, a.Close(ctx))
	}
	return nil
}

// adminWithin limits a request to the admin address, profiles of a minute included.
const adminWithin = 2 * time.Minute

func (a *App) open(ctx context.Context) (err error) {
	for _, warning := range a.config.Warnings {
		a.logger.Warn("setting", "warning", warning)
	}
	if a.public == nil {
		if a.public, err = listen(ctx, "COUNTERSIGN_ADDR", a.config.Addr); err != nil {
			return err
		}
	}
	a.config = a.config.WithPort(a.public.port())
	if a.admin, err = listen(ctx, "COUNTERSIGN_ADMIN_ADDR", a.config.AdminAddr); err != nil {
		return err
	}
	if err = a.openTraces(ctx); err != nil {
		return err
	}
	metrics := web.NewMetrics(a.version)
	metrics.LogLost(a.logLost)
	a.openReloader(metrics)
	if err = a.openPlatform(ctx, metrics); err != nil {
		return err
	}
	a.live.use(a.config)
	if err = a.openRedis(metrics); err != nil {
		return err
	}
	if err = a.openStores(); err != nil {
		return err
	}
	if err = a.openTrail(metrics); err != nil {
		return err
	}
	if err = a.openSigning(metrics); err != nil {
		return err
	}
	if err = a.openVerification(metrics); err != nil {
		return err
	}
	a.openHub(metrics)
	handler, err := a.wire(metrics)
	if err != nil {
		return err
	}
	// The platform is not asked: while it is down, Countersign still answers, and says
	// so.
	a.readiness = web.NewReadiness(metrics, a.logger, a.redis, a.hintsRefused)
	a.public.serve(drainHandler{handler, &a.public.draining}, 0, a.logger, a.failed)
	a.admin.serve(web.Admin(metrics, a.readiness), adminWithin, a.logger, a.failed)
	a.logStart()
	a.work(ctx)
	return a.openMetrics(ctx, metrics)
}

// work starts the background work.
func (a *App) work(ctx context.Context) {
	begin := func(work func(context.Context)) { a.tasks = append(a.tasks, start(ctx, work)) }
	if a.signing != nil && a.documents != nil {
		begin(a.prepareDocuments)
	}
	if a.notices != nil {
		begin(a.notices.Run)
	}
	begin(a.trail.Run) // has notices sent
	if a.signing != nil {
		begin(a.signing.service.Run) // records events, as the next does
	}
	if a.verification != nil {
		begin(func(ctx context.Context) { a.verification.service.Run(ctx, a.config.IDV.Sweep, a.logger) })
	}
	if a.repeats != nil {
		begin(a.runRepeats)
	}
	begin(a.reloader.Run)
	begin(a.readiness.Watch)
	if a.hub != nil {
		a.hubTask = start(ctx, a.hub.Run)
	}
}

// openPlatform connects to the platform; in development it serves the sandbox first.
func (a *App) openPlatform(ctx context.Context, metrics *web.Metrics) (err error) {
	if !a.config.Production() {
		if a.sandbox, err = openSandbox(ctx, Options{Config: a.config, Logger: a.logger, Now: a.now}, a.sandboxCallbacks(), a.documents, a.failed); err != nil {
			return err
		}
	}
	return a.openIdentity(metrics)
}

// runRepeats repeats, until ctx ends, what a failover of Redis may have undone.
func (a *App) runRepeats(ctx context.Context) {
	var proofs sync.WaitGroup
	proofs.Go(func() { a.proofRepeats.Run(ctx) })
	a.repeats.Run(ctx)
	proofs.Wait()
}

func (a *App) openRedis(metrics *web.Metrics) (err error) {
	options := redisOptions(a.config.Redis)
	options.Embedded, options.Now, options.Logger = a.config.EmbeddedRedis(), a.now, a.logger
	options.Observe, options.Tracer, options.Timeout = metrics.RedisCalls(), a.tracer, a.redisTimeout
	if a.redis, err = redisdb.Open(options); err == nil {
		a.repeats, a.proofRepeats = a.redis.NewRepeats(), a.redis.NewRepeats()
		metrics.RedisPool(a.redis.Pool)
	}
	return err
}

// Close announces the end on /readyz and in the log, takes no new requests, lets those
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
	if a.hubTask != nil {
		a.hubTask.end() // a stream never ends by itself in time
	}
	// The admin address is closed after the public one, so that /readyz answers
	// meanwhile.
	errs := []error{a.public.close(ctx), a.admin.close(ctx)}
	for _, task := range slices.Backward(a.tasks) {
		task.end()
	}
	if a.signing != nil {
		if a.documents != nil {
			a.documents.Close()
		}
		if a.signing.files != nil {
			a.signing.files.Drop("")
		}
		a.signing.upstream.Close()
	}
	if a.verification != nil {
		a.verification.upstream.Close()
	}
	if a.upstream != nil {
		a.upstream.Close()
	}
	if a.redis != nil {
		errs = append(errs, a.redis.Close())
	}
	if a.tracing != nil {
		errs = append(errs, a.tracing.Shutdown(ctx))
	}
	if a.trail != nil {
		errs = append(errs, a.trail.Close())
	}
	if a.folder != nil {
		errs = append(errs, a.folder.Close())
	}
	if a.sandbox != nil {
		errs = append(errs, a.sandbox.Close(ctx))
	}
	return errors.Join(errs...)
}
