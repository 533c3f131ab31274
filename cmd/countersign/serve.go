package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"countersign/internal/app"
)

func (c command) serve(ctx context.Context) int {
	c, output := c.bounded()
	options, ok := c.options()
	if !ok {
		return 2
	}
	log := openLog(&options, output)
	defer log.Flush()
	c = c.reporting(options.Config.Log, log)
	socket, err := c.systemdSocket()
	if err != nil {
		return c.fail(err)
	}
	options.Public = socket
	manager, err := c.systemd(log.Logger)
	if err != nil {
		return c.fail(err)
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	a := app.New(options)
	percent := debug.SetGCPercent(-1) // tune collects what the start leaves, at once
	if err := a.Open(ctx); err != nil {
		return c.fail(err)
	}
	c.printBanner(a)
	c.tune(options.Config.Production(), percent)
	manager.tell("READY=1\nSTATUS=It serves " + a.URL())
	defer manager.watch(a.ListenURL(), a.URL(), a.AdminURL())()
	status := c.until(ctx, a, hangups, a.Reload)
	manager.tell("STOPPING=1")
	if status == 0 {
		a.Drain(context.WithoutCancel(ctx))
	}
	return max(status, c.close(ctx, a, options.Config.DrainTimeout))
}

// gcPercent and memoryLimit replace Go's defaults in production unless GOGC and
// GOMEMLIMIT are set: how much the heap may grow before a collection, and the memory
// above which the runtime collects more often.
const (
	gcPercent   = 400
	memoryLimit = 128 << 20
)

// tune returns to the system the memory that starting took, and switches garbage
// collection on again: seldom in production, which trades memory for speed, else at
// percent.
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

// variable returns the value of an environment variable; if it is given several times,
// the last.
func (c command) variable(name string) (value string) {
	for _, v := range c.environ {
		if text, found := strings.CutPrefix(v, name+"="); found {
			value = text
		}
	}
	return value
}

// until waits until ctx ends or the server fails, and calls reload at each of hangups. It
// returns 0 if ctx ended.
func (c command) until(ctx context.Context, server interface{ Failed() <-chan error }, hangups <-chan os.Signal, reload func()) int {
	for {
		select {
		case <-ctx.Done():
			return 0
		case err := <-server.Failed():
			return c.fail(err)
		case <-hangups:
			reload()
		}
	}
}

// close closes server and gives its requests `within` to finish.
func (c command) close(ctx context.Context, server interface{ Close(context.Context) error }, within time.Duration) int {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		return c.fail(err)
	}
	return 0
}

// options returns the settings as the App takes them, without a log. If any are wrong, it
// prints every problem and ok is false.
func (c command) options() (o app.Options, ok bool) {
	cfg, err := app.Settings(c.environ, os.ReadFile)
	if err != nil {
		c.printProblems(cfg.Log, err)
		return o, false
	}
	o = app.Options{Config: cfg, Now: time.Now, Version: version(), Stdout: c.stdout, PDF: c.pdfWorkers(cfg)}
	c.telemetry(&o)
	return o, true
}

// onceOptions returns options for a command that ends by itself. It logs errors alone, for people.
func (c command) onceOptions() (o app.Options, ok bool) {
	o, ok = c.options()
	o.Logger = slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	return o, ok
}
