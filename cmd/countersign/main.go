// Command countersign is the web server between people and their identity
// platform. Without a setting it brings its own platform, the sandbox, and its
// own Redis, so that one command runs everything.
//
//	countersign                serve
//	countersign sandbox        serve the sandbox platform alone
//	countersign authenticator  be a phone: register and sign in from a terminal
//	countersign config         print the effective settings, redacted, and check them
//	countersign healthcheck    ask the admin address for health; for containers
//	countersign version        say which version this is
//	countersign help           say so
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"countersign/internal/config"
	"countersign/internal/identity"
)

// drain is how long requests under way may take to finish at the end.
const drain = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

// run is the program: its exit status is 0, 1 for what failed, 2 for what was
// asked or set wrongly.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	command := "serve"
	if len(args) > 0 {
		command = args[0]
	}
	commands := map[string]func() int{
		"serve":       func() int { return serve(ctx, environ, stdout, stderr) },
		"sandbox":     func() int { return serveSandbox(ctx, environ, stdout, stderr) },
		"config":      func() int { return showConfig(environ, stdout, stderr) },
		"healthcheck": func() int { return healthcheck(ctx, environ, stderr) },
		"version":     func() int { return showVersion(stdout) },
		"--version":   func() int { return showVersion(stdout) },
		"help":        func() int { return help(stdout) },
		"-h":          func() int { return help(stdout) },
		"--help":      func() int { return help(stdout) },
	}
	if command == "authenticator" {
		return softAuthenticator(ctx, args[1:], environ, stdout, stderr)
	}
	do, known := commands[command]
	if !known || len(args) > 1 {
		fmt.Fprintf(stderr, "countersign: unknown arguments %q\n\n", args)
		help(stderr)
		return 2
	}
	return do()
}

func help(w io.Writer) int {
	fmt.Fprint(w, `Countersign relays FIDO registration between people and an identity platform.

  countersign                serve; without any setting, with a platform and a Redis of its own
  countersign sandbox        serve the sandbox platform alone
  countersign authenticator  be a phone: register and sign in from a terminal
  countersign config         print the effective settings, redacted, and check them
  countersign healthcheck    ask the admin address for health; for containers
  countersign version        say which version this is
  countersign help           this text

Settings are environment variables that begin with COUNTERSIGN_; docs/configuration.md lists them.
`)
	return 0
}

// load reads the settings, or says everything that is wrong with them.
func load(environ []string, stderr io.Writer) (config.Config, bool) {
	cfg, err := config.Load(environ, os.ReadFile, identity.PathSettings()...)
	if err != nil {
		fmt.Fprintf(stderr, "countersign: the settings cannot be used:\n%v\n", err)
		return config.Config{}, false
	}
	return cfg, true
}

func serve(ctx context.Context, environ []string, stdout, stderr io.Writer) int {
	cfg, ok := load(environ, stderr)
	if !ok {
		return 2
	}
	app := New(cfg, newLogger(cfg, stderr))
	if err := app.Open(ctx); err != nil {
		fmt.Fprintf(stderr, "countersign: %v\n", err)
		return 1
	}
	app.Banner(stdout)
	return until(ctx, stderr, app.Failed(), app.Close)
}

// until waits for the end, asked for or not, and closes.
func until(ctx context.Context, stderr io.Writer, failed <-chan error, closeAll func(context.Context) error) int {
	status := 0
	select {
	case <-ctx.Done():
	case err := <-failed:
		fmt.Fprintf(stderr, "countersign: %v\n", err)
		status = 1
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := closeAll(ctx); err != nil {
		fmt.Fprintf(stderr, "countersign: %v\n", err)
		return 1
	}
	return status
}
