package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

func showVersion(w io.Writer) int {
	fmt.Fprintf(w, "countersign %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}

// version is the one that the build has put into the program: a tag, or the
// moment and name of a commit; (devel) where it knew of neither.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
