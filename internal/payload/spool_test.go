package payload

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// Short content is kept in memory, longer content in a file without a name, and both come
// back unchanged.
func TestSpool_MemoryAndFile(t *testing.T) {
	for _, size := range []int{0, 1, spoolMemory, spoolMemory + 1, 3 * spoolMemory} {
		dir, text := t.TempDir(), bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		s := &Spool{Dir: dir}
		defer s.Close()
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 1000)
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if onDisk := s.file != nil; onDisk != (size > spoolMemory) {
			t.Errorf("%d bytes wait on disk: %t", size, onDisk)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%v %v are to be seen while it waits", entries, err)
		}
		got, err := io.ReadAll(s.Section(0, s.Size()))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("of %d bytes %d came back, %v", size, len(got), err)
		}
	}
}
