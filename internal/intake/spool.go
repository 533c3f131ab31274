package intake

import (
	"bytes"
	"io"
	"os"

	"countersign/internal/fault"
)

// spoolMemory is how much a spool keeps in memory, in bytes; the rest is on disk.
const spoolMemory = 64 << 10

// Spool keeps what must be read before it can be passed on: in memory while it is
// short, then in a file that has no name, so that none outlives its request.
type Spool struct {
	// Dir is where its file is.
	Dir string

	memory []byte
	file   *os.File // nil while memory is enough
	size   int64
}

// Write puts more behind what is there. Its error is server.unavailable.
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

// open moves what is in memory to the file.
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

// Section is size bytes of what was written, from offset on.
func (s *Spool) Section(offset, size int64) io.Reader {
	return io.NewSectionReader(s, offset, size)
}

// Size is how much was written, in bytes.
func (s *Spool) Size() int64 { return s.size }

// ReadAt reads what was written.
func (s *Spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, offset)
	}
	return bytes.NewReader(s.memory).ReadAt(p, offset)
}

// Close gives the file back.
func (s *Spool) Close() {
	if s.file != nil {
		s.file.Close()
	}
}

// CheckDir reports whether uploads can wait in dir.
func CheckDir(dir string) error {
	s := &Spool{Dir: dir}
	defer s.Close()
	return s.open()
}
