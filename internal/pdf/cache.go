package pdf

import (
	"fmt"
	"os"
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
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if err := isPrivate(info, owned); err != nil {
		return fmt.Errorf("%s %w", dir, err)
	}
	return nil
}
