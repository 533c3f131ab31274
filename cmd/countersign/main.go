// Command countersign is the web server between people and their identity
// platform. Without a setting it brings its own platform, the sandbox, and its
// own Redis, so that one command runs everything.
//
//	countersign                serve
//	countersign sandbox        serve the sandbox platform alone; --help has more
//	countersign authenticator  register and sign in from a terminal, as an app does; --help has more
//	countersign config         print the effective settings, redacted, and check them
//	countersign conformance    test the platform of the settings with test users
//	countersign people         end all sessions of a user
//	countersign retention      list what retention removes
//	countersign explain        explain a request from the log
//	countersign healthcheck    ask the admin address for health; for containers
//	countersign version        print the version
//	countersign sbom           print the bill of materials, in CycloneDX
//	countersign help           print this text
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"countersign/internal/authenticator/cli"
	"countersign/internal/sandbox/people"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once
	signal.Ignore(syscall.SIGPIPE) // a reader of the log that has gone ends nothing; writing to it fails
	os.Exit(command{environ: os.Environ(), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}.run(ctx, os.Args[1:]))
}

// command holds the environment and the streams of one run of the program.
type command struct {
	environ        []string
	stdin          io.Reader
	stdout, stderr io.Writer
	log            *slog.Logger // where machines read what is said; nil where people do
}

// run runs the command in args and returns the exit status: 0, 1 for a failure, 2 for a
// mistake in the command line or the settings.
func (c command) run(ctx context.Context, args []string) int {
	name := "serve"
	if len(args) > 0 {
		name = args[0]
	}
	if name == "authenticator" {
		return c.authenticator(ctx, args[1:])
	}
	if name == "conformance" {
		return c.conformance(ctx, args[1:])
	}
	if name == "people" {
		return c.people(ctx, args[1:])
	}
	if name == "retention" {
		return c.retention(ctx, args[1:])
	}
	if name == "explain" {
		return c.explain(ctx, args[1:])
	}
	if name == "sbom" {
		return c.sbom(args[1:])
	}
	if name == "sandbox" {
		return c.sandbox(ctx, args[1:])
	}
	if name == pdfWorkerCommand {
		return c.pdfWorker(args[1:])
	}
	commands := map[string]func(context.Context) int{
		"serve":       c.serve,
		"config":      c.config,
		"healthcheck": c.healthcheck,
		"version":     c.version,
		"--version":   c.version,
		"help":        c.help,
		"-h":          c.help,
		"--help":      c.help,
	}
	do, known := commands[name]
	if !known || len(args) > 1 {
		fmt.Fprintf(c.stderr, "countersign: unknown arguments %q\n\n%s", args, usage)
		return 2
	}
	return do(ctx)
}

const usage = `Countersign is the web server between clients and an identity platform.

  countersign                serve; without settings, with an embedded platform and Redis
  countersign sandbox        serve the sandbox platform alone; --help has more
  countersign authenticator  register and sign in from a terminal, as an app does; --help has more
  countersign config         print the effective settings, redacted, and check them
  countersign conformance    test the platform of the settings with test users; --help has more
  countersign people         end all sessions of a user; --help has more
  countersign retention      list what retention removes; --help has more
  countersign explain        explain a request from the log; --help has more
  countersign healthcheck    ask the admin address for health; for containers
  countersign version        print the version
  countersign sbom           print the bill of materials, in CycloneDX
  countersign help           print this text

Settings are environment variables that begin with COUNTERSIGN_; docs/configuration.md lists them.
`

func (c command) help(context.Context) int {
	fmt.Fprint(c.stdout, usage)
	return 0
}

func (c command) authenticator(ctx context.Context, args []string) int {
	return cli.Run(ctx, args, cli.Options{
		Environ: c.environ, Stdin: c.stdin, Stdout: c.stdout, Stderr: c.stderr,
		DemoPassword: people.DemoPassword, Now: time.Now,
	})
}
