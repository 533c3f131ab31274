package payload

import (
	"bytes"
	"io"
	"os"

	"countersign/internal/fault"
)

// spoolMemory limits the bytes that a spool keeps in memory; more go to disk.
const spoolMemory = 64 << 10

// Spool stores bytes that must be read before they can be passed on: first in memory,
// then in a file without a name, so that none outlives its request.
type Spool struct {
	// Dir is the directory of the file.
	Dir string

	memory []byte
	file   *os.File // nil while memory is enough
	size   int64
}

// Write appends p. Its error is server.unavailable.
func (s *Spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(p) <= spoolMemory {
		s.memory = append(s.memory, p...)
	} else if err := s.writeFile(p); err != nil {
		return 0, fault.Wrap(fault.ServerUnavailable, err)
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *Spool) writeFile(p []byte) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	_, err := s.file.Write(p)
	return err
}

// open moves the bytes in memory to a new file.
func (s *Spool) open() error {
	file, err := os.CreateTemp(s.Dir, "countersign-*")
	if err != nil {
		return err
	}
	s.file = file
	if err := os.Remove(file.Name()); err != nil {
		return err
	}
	_, err = file.Write(s.memory)
	s.memory = nil
	return err
}

// Section returns a reader of size bytes from offset on.
func (s *Spool) Section(offset, size int64) io.Reader {
	return io.NewSectionReader(s, offset, size)
}

// Size returns how many bytes were written.
func (s *Spool) Size() int64 { return s.size }

// ReadAt reads bytes that were written.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, offset)
	}
	return bytes.NewReader(s.memory).ReadAt(p, offset)
}

// Close closes the file, which frees it.
func (s *Spool) Close() {
	if s.file != nil {
		s.file.Close()
	}
}

// CheckDir returns an error if files cannot be created in dir.
func CheckDir(dir string) error {
	s := &Spool{Dir: dir}
	defer s.Close()
	return s.open()
}
