package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"

	"countersign/internal/config"
	"countersign/internal/identity"
)

// showConfig prints every setting with its value, secrets redacted, and where it
// comes from; then what is wrong with them, if anything is. The last line on
// stdout is the result.
func showConfig(environ []string, stdout, stderr io.Writer) int {
	cfg, err := config.Load(environ, os.ReadFile, identity.PathSettings()...)
	table := tabwriter.NewWriter(stdout, 0, 4, 2, ' ', 0)
	for _, s := range cfg.Redacted() {
		fmt.Fprintf(table, "%s\t%s\t(%s)\n", s.Name, s.Value, s.Source)
	}
	if flushErr := table.Flush(); flushErr != nil {
		return 1
	}
	for _, warning := range cfg.Warnings {
		fmt.Fprintln(stderr, "warning:", warning)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%v\n", err)
		fmt.Fprintf(stdout, "\nThe settings cannot be used. Problems: %d\n", problems(err))
		return 2
	}
	purpose := "development: the platform is embedded"
	if cfg.Production() {
		purpose = "production"
	}
	fmt.Fprintf(stdout, "\nThe settings are complete, for %s.\n", purpose)
	return 0
}

func problems(err error) int {
	if all, ok := errors.AsType[config.Problems](err); ok {
		return len(all)
	}
	return 1
}

func newLogger(cfg config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: cfg.Log.Level}
	if cfg.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
