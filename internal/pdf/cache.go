package pdf

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// PrepareCache makes dir, the folder for PDFium's machine code, if it is missing. It
// fails if anybody else owns dir or may write to it, because the files in it are run.
func PrepareCache(dir string) error {
	const owned = 0o700
	if err := os.MkdirAll(dir, owned); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	system, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	case !ok || int(system.Uid) != os.Geteuid():
		return fmt.Errorf("%s is somebody else's", dir)
	case info.Mode().Perm()&^owned != 0:
		return errors.New(dir + " is open to others: its mode has to be 0700")
	}
	return nil
}
