package main

import (
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"strings"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
)

// outputPatience limits how long a line that is not of the log waits for the reader of stdout
// or stderr: the banner, an event of the audit trail, the reason of the end.
const outputPatience = time.Second

// bounded returns c with streams whose readers hold up nothing for longer than
// outputPatience, and stderr, for the log. Where both lead to the same place, they take turns.
func (c command) bounded() (bounded command, stderr *app.Output) {
	stderr = app.NewOutput(c.stderr, time.Now)
	stdout := stderr
	if !sameFile(c.stdout, c.stderr) {
		stdout = app.NewOutput(c.stdout, time.Now)
	}
	c.stdout, c.stderr = stdout.Within(outputPatience, nil), stderr.Within(outputPatience, nil)
	return c, stderr
}

func sameFile(a, b io.Writer) bool {
	first, ok := a.(*os.File)
	second, also := b.(*os.File)
	if !ok || !also {
		return false
	}
	one, err := first.Stat()
	other, failed := second.Stat()
	return err == nil && failed == nil && os.SameFile(one, other)
}

// openLog opens the log of options. Libraries without a logger write to it, too.
func openLog(options *app.Options, stderr *app.Output) *app.Log {
	log := app.NewLog(options.Config.Log, stderr)
	options.Logger, options.LogLost = log.Logger, log.Lost
	slog.SetDefault(log.Logger)
	stdlog.SetFlags(0)
	stdlog.SetOutput(log.Library())
	return log
}

// reporting returns c; with the JSON log format, its messages go to log.
func (c command) reporting(settings config.Log, log *app.Log) command {
	if settings.Format == config.LogJSON {
		c.log = log.Logger
	}
	return c
}

// printBanner prints for people what runs where; machines find it in the log.
func (c command) printBanner(server interface{ Banner(io.Writer) }) {
	if c.log == nil {
		server.Banner(c.stdout)
		return
	}
	var text strings.Builder
	server.Banner(&text)
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimSpace(line); line != "" {
			c.log.Info("banner", "line", strings.Join(strings.Fields(line), " "))
		}
	}
}

// printProblems prints every problem with the settings.
func (c command) printProblems(settings config.Log, err error) {
	log := app.NewLog(settings, app.NewOutput(c.stderr, time.Now))
	defer log.Flush()
	if c = c.reporting(settings, log); c.log == nil {
		fmt.Fprintf(c.stderr, "countersign: the settings cannot be used:\n%v\n", err)
		return
	}
	all, ok := errors.AsType[config.Problems](err)
	if !ok {
		all = config.Problems{err.Error()}
	}
	for _, problem := range all {
		c.log.Error("settings rejected", "problem", problem)
	}
}

// fail prints err and returns the exit status 1.
func (c command) fail(err error) int {
	if c.log != nil {
		c.log.Error("failed", "cause", err.Error())
		return 1
	}
	fmt.Fprintf(c.stderr, "countersign: %v\n", err)
	return 1
}
