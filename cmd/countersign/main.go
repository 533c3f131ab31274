// Command countersign is the web server between people and their identity
// platform. Without a setting it brings its own platform, the sandbox, and its
// own Redis, so that one command runs everything.
//
//	countersign                serve
//	countersign sandbox        serve the sandbox platform alone; --help has more
//	countersign authenticator  be a phone: register and sign in from a terminal
//	countersign config         print the effective settings, redacted, and check them
//	countersign conformance    try the platform of the settings with test users
//	countersign people         end every session of a person
//	countersign explain        tell from the log what happened to a request
//	countersign healthcheck    ask the admin address for health; for containers
//	countersign version        say which version this is
//	countersign sbom           print what it is made of, in CycloneDX
//	countersign help           say so
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

const usage = `Countersign relays FIDO registration between people and an identity platform.

  countersign                serve; without any setting, with a platform and a Redis of its own
  countersign sandbox        serve the sandbox platform alone; --help has more
  countersign authenticator  be a phone: register and sign in from a terminal
  countersign config         print the effective settings, redacted, and check them
  countersign conformance    try the platform of the settings with test users; --help has more
  countersign people         end every session of a person: people end USER; --help has more
  countersign explain        tell from the log what happened to a request; --help has more
  countersign healthcheck    ask the admin address for health; for containers
  countersign version        say which version this is
  countersign sbom           print what it is made of, in CycloneDX
  countersign help           this text

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
