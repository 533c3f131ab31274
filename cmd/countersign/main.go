// Command countersign is the web server between clients and an identity platform, with its
// tools. Without a setting it brings its own platform, the sandbox, and its own Redis, so that
// one command runs everything.
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
	"errors"
	"flag"
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
		name, args = args[0], args[1:]
	}
	with := map[string]func(context.Context, []string) int{
		"authenticator":  c.authenticator,
		"conformance":    c.conformance,
		"people":         c.people,
		"retention":      c.retention,
		"explain":        c.explain,
		"sbom":           c.sbom,
		"sandbox":        c.sandbox,
		pdfWorkerCommand: c.pdfWorker,
	}
	if do, known := with[name]; known {
		return do(ctx, args)
	}
	without := map[string]func(context.Context) int{
		"serve":       c.serve,
		"config":      c.config,
		"healthcheck": c.healthcheck,
		"version":     c.version,
		"--version":   c.version,
		"help":        c.help,
		"-h":          c.help,
		"--help":      c.help,
	}
	do, known := without[name]
	if !known || len(args) > 0 {
		fmt.Fprintf(c.stderr, "countersign: unknown arguments %q\n\n%s", append([]string{name}, args...), usage)
		return 2
	}
	return do(ctx)
}

// newFlags returns the flags of a command, which print nothing by themselves.
func newFlags(command string) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// parseAll parses arguments that are flags alone.
func parseAll(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown arguments %q", flags.Args())
	}
	return nil
}

// misused prints a mistake in a command's arguments or in the settings. If err asks for help, it
// prints the usage text and the list of flags.
func (c command) misused(flags *flag.FlagSet, usage string, err error) int {
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(c.stdout, usage)
		flags.SetOutput(c.stdout)
		flags.PrintDefaults()
		return 0
	}
	fmt.Fprintf(c.stderr, "countersign %[1]s: %[2]v\n\nSee countersign %[1]s --help.\n", flags.Name(), err)
	return 2
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
