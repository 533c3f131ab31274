//go:build unix

package pdf

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// allocate returns memory for PDFium that grows in its place, up to max: the system gives
// what is used of it, and has all of it again when PDFium ends.
func allocate(_, most uint64) experimental.LinearMemory {
	all, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return linear(nil)
	}
	return linear(all)
}

// linear is memory of the system's.
type linear []byte

// Reallocate returns the first bytes of it; nil if there are not as many.
func (l linear) Reallocate(size uint64) []byte {
	if size > uint64(len(l)) {
		return nil
	}
	return l[:size:len(l)]
}

// Free gives it back.
func (l linear) Free() { _ = syscall.Munmap(l) } // nothing is left to do without

// CanCompile reports whether the system allows this process to make machine code. Where it
// does not (MemoryDenyWriteExecute of systemd, execmem of SELinux, PaX), PDFium is
// interpreted, which takes some twenty times as long.
func CanCompile() bool {
	page, err := syscall.Mmap(-1, 0, syscall.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Munmap(page) }() // it is one's own
	return syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_EXEC) == nil
}

// isPrivate returns why a folder is not this user's alone, or nil.
func isPrivate(info fs.FileInfo, owned fs.FileMode) error {
	system, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || int(system.Uid) != os.Geteuid():
		return errors.New("is owned by another user")
	case info.Mode().Perm()&^owned != 0:
		return errors.New("is open to others: its mode has to be 0700")
	}
	return nil
}
