package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"countersign/internal/config"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/people"
)

// serveSandbox is the platform alone, for a Countersign elsewhere on this
// machine, or for an app's own tests.
func serveSandbox(ctx context.Context, environ []string, stdout, stderr io.Writer) int {
	cfg, ok := load(environ, stderr)
	if !ok {
		return 2
	}
	failed := make(chan error, 1)
	l, server, err := openSandbox(ctx, cfg, newLogger(cfg, stderr), failed)
	if err != nil {
		fmt.Fprintf(stderr, "countersign: %v\n", err)
		return 1
	}
	fmt.Fprintln(stdout)
	sandboxBanner(stdout, l.url())
	fmt.Fprintf(stdout, "  It serves     RP ID %s, origins %s\n\n", cfg.Sandbox.RPID, strings.Join(cfg.Sandbox.RPOrigins, " "))
	return until(ctx, stderr, failed, func(ctx context.Context) error {
		server.Close()
		return l.close(ctx)
	})
}

// sandboxBanner tells where the sandbox is and who lives in it.
func sandboxBanner(w io.Writer, url string) {
	fmt.Fprintf(w, "  Sandbox       %s   (a stand-in platform, never for production: its data end with it)\n", url)
	fmt.Fprint(w, "  Demo people   alice bob carol dave(disabled) erin(locked) frank(password expired) @sandbox\n")
	fmt.Fprintf(w, "  Password      %s\n", people.DemoPassword)
}

func openSandbox(ctx context.Context, cfg config.Config, logger *slog.Logger, failed chan<- error) (*listener, *sandbox.Server, error) {
	if cfg.Production() {
		return nil, nil, fmt.Errorf("the sandbox does not run with the settings of production: unset COUNTERSIGN_PLATFORM_URL and COUNTERSIGN_IDENTITY_URL")
	}
	l, err := listen(ctx, "COUNTERSIGN_SANDBOX_ADDR", cfg.Sandbox.Addr)
	if err != nil {
		return nil, nil, err
	}
	server, err := sandbox.New(sandbox.Options{
		RPID:      cfg.Sandbox.RPID,
		RPOrigins: cfg.Sandbox.RPOrigins,
		UAFAppID:  cfg.Sandbox.UAFAppID,
		UAFFacets: cfg.Sandbox.UAFFacets,
		APIKey:    cfg.Sandbox.APIKey,
		Metadata:  cfg.Sandbox.UAFMetadata,
		Logger:    logger,
		Now:       time.Now,
	})
	if err != nil {
		_ = l.close(ctx)
		return nil, nil, err
	}
	l.serve(server, logger, failed)
	return l, server, nil
}
