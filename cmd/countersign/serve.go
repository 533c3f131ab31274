package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
)

// drain is how long requests under way may take to finish at the end.
const drain = 10 * time.Second

func (c command) serve(ctx context.Context) int {
	options, ok := c.options()
	if !ok {
		return 2
	}
	log := app.NewLog(options.Config.Log, c.stderr)
	defer log.Flush()
	options.Logger = log.Logger
	a := app.New(options)
	if err := a.Open(ctx); err != nil {
		return c.fail(err)
	}
	a.Banner(c.stdout)
	tune(options.Config)
	return c.until(ctx, a)
}

// tune gives back what the start took, and then, in production, trades memory for
// speed.
func tune(settings config.Config) {
	debug.FreeOSMemory()
	if settings.Production() {
		debug.SetGCPercent(int(settings.GCPercent))
		debug.SetMemoryLimit(int64(settings.MemoryLimit))
	}
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
	s, err := app.OpenSandbox(ctx, options)
	if err != nil {
		return c.fail(err)
	}
	s.Banner(c.stdout)
	return c.until(ctx, s)
}

// until waits for the end, asked for or not, and closes server.
func (c command) until(ctx context.Context, server interface {
	Failed() <-chan error
	Close(ctx context.Context) error
},
) int {
	status := 0
	select {
	case <-ctx.Done():
	case err := <-server.Failed():
		status = c.fail(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		return c.fail(err)
	}
	return status
}

// options are the settings as the App takes them, without a log. If anything is wrong with them,
// all of it is said and ok is false.
func (c command) options() (o app.Options, ok bool) {
	cfg, err := app.Settings(c.environ, os.ReadFile)
	if err != nil {
		fmt.Fprintf(c.stderr, "countersign: the settings cannot be used:\n%v\n", err)
		return o, false
	}
	return app.Options{Config: cfg, Now: time.Now, Version: version(), PDF: c.pdfWorkers()}, true
}

func (c command) fail(err error) int {
	fmt.Fprintf(c.stderr, "countersign: %v\n", err)
	return 1
}
