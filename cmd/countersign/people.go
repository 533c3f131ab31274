package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"countersign/internal/app"
)

// peopleUsage is the usage text that precedes the list of flags.
const peopleUsage = `countersign people end ends all sessions of a user on all nodes and deletes their recovered forms.
Use it if no administrator can sign in. It needs the node's settings, does not call the platform,
and writes to the audit trail.

Exit status: 0 if it is done, also if there was no session; 1 if Redis cannot be reached; 2 for
wrong settings or arguments.

  countersign people end [--reason TEXT] USER

`

// people runs the command "people".
func (c command) people(ctx context.Context, args []string) int {
	var reason string
	flags := newFlags("people")
	flags.StringVar(&reason, "reason", "", "why, as the audit trail keeps it: a `text` of 500 characters at most, on one line")
	user, err := personOf(flags, args)
	if err != nil {
		return c.misused(flags, peopleUsage, err)
	}
	options, ok := c.onceOptions()
	if !ok {
		return 2
	}
	found, err := app.EndPerson(ctx, options, user, reason)
	switch {
	case errors.Is(err, app.ErrNoPerson), errors.Is(err, app.ErrReason), errors.Is(err, app.ErrOwnRedis):
		return c.misused(flags, peopleUsage, err)
	case err != nil:
		return c.fail(err)
	case found:
		fmt.Fprintf(c.stderr, "Every session of %s has ended.\n", user)
	default:
		fmt.Fprintf(c.stderr, "%s had no session.\n", user)
	}
	return 0
}

// personOf parses the arguments, in which the flags may stand before USER or after it.
func personOf(flags *flag.FlagSet, args []string) (user string, err error) {
	if len(args) > 0 && args[0] == "end" {
		args = args[1:]
	} else if len(args) > 0 && args[0] != "-h" && args[0] != "--help" && args[0] != "-help" {
		return "", fmt.Errorf("unknown arguments %q", args)
	}
	for {
		if err := flags.Parse(args); err != nil {
			return "", err
		}
		switch {
		case flags.NArg() == 0 && user != "":
			return user, nil
		case flags.NArg() == 0:
			return "", errors.New("USER is missing")
		case user != "":
			return "", fmt.Errorf("unknown arguments %q", flags.Args())
		}
		user, args = flags.Arg(0), flags.Args()[1:]
	}
}
