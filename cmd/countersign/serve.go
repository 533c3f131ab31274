package main

import (
	"context"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
)

// sandboxDrain is how long requests to a sandbox that runs alone may take to finish at
// the end.
const sandboxDrain = 10 * time.Second

func (c command) serve(ctx context.Context) int {
	options, ok := c.options()
	if !ok {
		return 2
	}
	log := app.NewLog(options.Config.Log, c.stderr)
	defer log.Flush()
	options.Logger = log.Logger
	c = c.reporting(options.Config.Log, log)
	socket, err := c.handedOver()
	if err != nil {
		return c.fail(err)
	}
	options.Public = socket
	a := app.New(options)
	percent := debug.SetGCPercent(-1) // tune collects what the start leaves, at once
	if err := a.Open(ctx); err != nil {
		return c.fail(err)
	}
	c.welcome(a)
	c.tune(options.Config.Production(), percent)
	status := c.until(ctx, a)
	if status == 0 {
		a.Drain(context.WithoutCancel(ctx))
	}
	return max(status, c.close(ctx, a, options.Config.DrainTimeout))
}

// How much memory may grow in production before its garbage is collected, and how much the
// runtime may take before it collects more often, where GOGC and GOMEMLIMIT do not say.
const (
	gcPercent   = 400
	memoryLimit = 128 << 20
)

// tune gives back what the start took, and has garbage collected again: in production
// seldom, which trades memory for speed, else at percent, as the runtime would.
func (c command) tune(production bool, percent int) {
	debug.FreeOSMemory()
	if production && c.variable("GOGC") == "" {
		percent = gcPercent
	}
	if production && c.variable("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	debug.SetGCPercent(percent)
}

// variable is the value of an environment variable; of several the last.
func (c command) variable(name string) (value string) {
	for _, v := range c.environ {
		if text, found := strings.CutPrefix(v, name+"="); found {
			value = text
		}
	}
	return value
}

func (c command) sandbox(ctx context.Context) int {
	c.environ = append(c.environ, config.Prefix+"SANDBOX=on") // which the command says
	options, ok := c.options()
	if !ok {
		return 2
	}
	log := app.NewLog(options.Config.Log, c.stderr)
	defer log.Flush()
	options.Logger = log.Logger
	c = c.reporting(options.Config.Log, log)
	s, err := app.OpenSandbox(ctx, options)
	if err != nil {
		return c.fail(err)
	}
	c.welcome(s)
	return max(c.until(ctx, s), c.close(ctx, s, sandboxDrain))
}

// until waits for the end: 0 where it was asked for.
func (c command) until(ctx context.Context, server interface{ Failed() <-chan error }) int {
	select {
	case <-ctx.Done():
		return 0
	case err := <-server.Failed():
		return c.fail(err)
	}
}

// close closes server, whose requests may take so long to finish.
func (c command) close(ctx context.Context, server interface{ Close(context.Context) error }, within time.Duration) int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		return c.fail(err)
	}
	return 0
}

// options are the settings as the App takes them, without a log. If anything is wrong with them,
// all of it is said and ok is false.
func (c command) options() (o app.Options, ok bool) {
	cfg, err := app.Settings(c.environ, os.ReadFile)
	if err != nil {
		c.misset(cfg.Log, err)
		return o, false
	}
	return app.Options{Config: cfg, Now: time.Now, Version: version(), Stdout: c.stdout, Traces: c.traces(), PDF: c.pdfWorkers(cfg.PDFCacheDir)}, true
}
