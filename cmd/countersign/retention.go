package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"countersign/internal/app"
)

// retentionUsage is the usage text that precedes the list of flags.
const retentionUsage = `countersign retention --dry-run lists the packages and identity checks that retention will
remove (COUNTERSIGN_SIGNING_TRASH_AFTER, COUNTERSIGN_IDV_ERASE_AFTER): the kind, the ID, the state,
when it ended, and when it is moved to the trash or erased. It reads the settings and the Redis of
the node, and changes nothing. To try other days, set the variables for this command only.

The exit status is 0 (also if the list is empty), 1 if Redis cannot be reached or the index is
being built, 2 for wrong settings and arguments.

  countersign retention --dry-run

`

// retention runs the command "retention".
func (c command) retention(ctx context.Context, args []string) int {
	var dry bool
	flags := newFlags("retention")
	flags.BoolVar(&dry, "dry-run", false, "list the objects; required, because the nodes themselves remove them")
	err := parseAll(flags, args)
	if err == nil && !dry {
		err = errors.New("--dry-run is missing: the nodes themselves remove what is due")
	}
	if err != nil {
		return c.misused(flags, retentionUsage, err)
	}
	options, ok := c.onceOptions()
	if !ok {
		return 2
	}
	plan, err := app.RetentionPlan(ctx, options)
	switch {
	case errors.Is(err, app.ErrNoRule), errors.Is(err, app.ErrOwnRedis):
		return c.misused(flags, retentionUsage, err)
	case err != nil:
		return c.fail(err)
	}
	return c.printPlan(plan)
}

// printPlan prints a line for each object that goes, and at last on stderr how many these are.
func (c command) printPlan(plan app.RetentionList) int {
	table := tabwriter.NewWriter(c.stdout, 0, 4, 2, ' ', 0)
	row := func(kind, id, state string, ended, goes time.Time) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", kind, id, state, ended.UTC().Format(time.RFC3339), goes.UTC().Format(time.RFC3339))
	}
	for _, e := range plan.Packages {
		row("package", e.ID, e.Status, e.At, e.TrashAt)
	}
	for _, e := range plan.Verifications {
		row("verification", e.ID, e.Status, e.At, e.ErasureAt)
	}
	if err := table.Flush(); err != nil {
		return c.fail(err)
	}
	fmt.Fprintf(c.stderr, "%d packages go to the trash, %d verifications are erased. Nothing was changed.\n", len(plan.Packages), len(plan.Verifications))
	return 0
}
