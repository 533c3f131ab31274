package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
)

func (c command) version(context.Context) int {
	fmt.Fprintf(c.stdout, "countersign %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}

// version is what the build has put into the program: a tag, or the time and hash
// of a commit; (devel) without either.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
