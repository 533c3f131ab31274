package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"countersign/internal/app"
	"countersign/internal/config"
)

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
	log := app.NewLog(settings, c.stderr)
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
		c.log.Error("the settings cannot be used", "problem", problem)
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
