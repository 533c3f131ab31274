//go:build !unix

package pdf

import (
	"io/fs"

	"github.com/tetratelabs/wazero/experimental"
)

// allocate returns memory for PDFium that grows up to max.
func allocate(_, most uint64) experimental.LinearMemory { return &growing{most: most} }

// growing is memory of Go's.
type growing struct {
	held []byte
	most uint64
}

// Reallocate returns that many bytes of it; nil if that is more than it may have.
func (g *growing) Reallocate(size uint64) []byte {
	if size > g.most {
		return nil
	}
	if more := int(size) - len(g.held); more > 0 { //nolint:gosec // maxPDFiumPages at most
		g.held = append(g.held, make([]byte, more)...)
	}
	return g.held[:size:size]
}

// Free gives it back.
func (g *growing) Free() { g.held = nil }

// CanCompile reports whether the system allows this process to make machine code.
func CanCompile() bool { return true }

// isPrivate returns nil: the folders of a user are private where there are no modes.
func isPrivate(fs.FileInfo, fs.FileMode) error { return nil }
