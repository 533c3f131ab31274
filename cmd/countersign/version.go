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

// release is the version that make build and the Dockerfile set: a tag, or the last tag
// and the commits since.
var release string

// version returns release, or else the version that Go recorded in the program: a tag,
// the time and hash of a commit, or (devel).
func version() string {
	if release != "" {
		return release
	}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
