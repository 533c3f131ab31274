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

// release is the version that make build and the Dockerfile give: a tag, or what leads
// to it.
var release string

// version is release, or else what Go has put into the program: a tag, or the time and
// hash of a commit; (devel) without either.
func version() string {
	if release != "" {
		return release
	}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
