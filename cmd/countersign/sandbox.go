package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
	"countersign/internal/sandbox/seed"
)

// sandboxDrain limits how long a sandbox that runs alone waits at its end for requests to
// finish.
const sandboxDrain = 10 * time.Second

// sandboxUsage is the usage text that precedes the list of flags.
const sandboxUsage = `countersign sandbox serves the sandbox platform alone: a stand-in for development and tests, never
for production. It listens at COUNTERSIGN_SANDBOX_ADDR; with port 0 the system chooses a port.

  countersign sandbox [--host NAME[,...]] [--seed FILE] [--ready-file FILE]

`

// sandboxFlags are the arguments of "sandbox".
type sandboxFlags struct{ hosts, seed, readyFile string }

// sandbox runs the command "sandbox".
func (c command) sandbox(ctx context.Context, args []string) int {
	var given sandboxFlags
	flags := newFlags("sandbox")
	flags.StringVar(&given.hosts, "host", "", "further host `names`, each with a port or for any, separated by commas, that it answers to besides loopback names")
	flags.StringVar(&given.seed, "seed", "", "a `file` of YAML or JSON with the initial data, also used after a reset")
	flags.StringVar(&given.readyFile, "ready-file", "", "a `file` for its address, written as soon as it answers and removed at the end")
	if err := parseAll(flags, args); err != nil {
		return c.misused(flags, sandboxUsage, err)
	}
	c.environ = append(c.environ, config.Prefix+"SANDBOX=on") // implied by the command
	if given.hosts != "" {
		c.environ = append(c.environ, config.Prefix+"SANDBOX_HOSTS="+given.hosts)
	}
	return c.serveSandbox(ctx, given)
}

func (c command) serveSandbox(ctx context.Context, given sandboxFlags) int {
	c, output := c.bounded()
	options, ok := c.options()
	if !ok {
		return 2
	}
	if options.Seed, ok = c.seed(given.seed, options.Config.Sandbox.RPID); !ok {
		return 2
	}
	log := openLog(&options, output)
	defer log.Flush()
	c = c.reporting(options.Config.Log, log)
	ready := readyFile(given.readyFile)
	if err := ready.remove(); err != nil { // of an earlier run
		return c.fail(err)
	}
	s, err := app.OpenSandbox(ctx, options)
	if err != nil {
		return c.fail(err)
	}
	c.printBanner(s)
	if err := ready.write(s.URL()); err != nil {
		return max(c.fail(err), c.close(ctx, s, sandboxDrain))
	}
	status := max(c.until(ctx, s, nil, nil), c.close(ctx, s, sandboxDrain))
	if err := ready.remove(); err != nil {
		return c.fail(err)
	}
	return status
}

// seed reads the file of a seed; "" is none. It prints every mistake in it.
func (c command) seed(file, rpID string) (world *seed.World, ok bool) {
	if file == "" {
		return nil, true
	}
	text, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintf(c.stderr, "countersign sandbox: the seed: %v\n", err)
		return nil, false
	}
	read, err := seed.Parse(text, rpID)
	if err != nil {
		fmt.Fprintf(c.stderr, "countersign sandbox: the seed %s cannot be used:\n%v\n", file, err)
		return nil, false
	}
	return &read, true
}

// readyFile is the name of the file with the address of a server that answers; "" for
// none.
type readyFile string

// write writes the whole file at once: a reader never sees a part of the address.
func (f readyFile) write(address string) error {
	if f == "" {
		return nil
	}
	part, err := os.CreateTemp(filepath.Dir(string(f)), ".ready-*")
	if err != nil {
		return fmt.Errorf("the ready file: %w", err)
	}
	_, err = fmt.Fprintln(part, address)
	err = errors.Join(err, part.Chmod(0o644), part.Close())
	if err == nil {
		err = os.Rename(part.Name(), string(f))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the ready file: %w", err), os.Remove(part.Name()))
	}
	return nil
}

func (f readyFile) remove() error {
	if err := os.Remove(string(f)); f != "" && err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the ready file: %w", err)
	}
	return nil
}
