package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"countersign/internal/app"
	"countersign/internal/config"
)

// config prints every setting with its value (secrets redacted) and where the value comes
// from, then every problem with the settings. The last line on stdout is the result.
func (c command) config(context.Context) int {
	cfg, err := app.Settings(c.environ, os.ReadFile)
	table := tabwriter.NewWriter(c.stdout, 0, 4, 2, ' ', 0)
	for _, s := range cfg.Redacted() {
		fmt.Fprintf(table, "%s\t%s\t(%s)\n", s.Name, s.Value, s.Source)
	}
	if flushErr := table.Flush(); flushErr != nil {
		return 1
	}
	for _, warning := range cfg.Warnings {
		fmt.Fprintln(c.stderr, "warning:", warning)
	}
	if err != nil {
		fmt.Fprintf(c.stderr, "%v\n", err)
		fmt.Fprintf(c.stdout, "\nThe settings cannot be used. Problems: %d\n", problems(err))
		return 2
	}
	purpose := "development: the platform is embedded"
	if cfg.Production() {
		purpose = "production"
	}
	fmt.Fprintf(c.stdout, "\nThe settings are complete, for %s.\n", purpose)
	return 0
}

func problems(err error) int {
	if all, ok := errors.AsType[config.Problems](err); ok {
		return len(all)
	}
	return 1
}
