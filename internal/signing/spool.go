package signing

import (
	"bytes"
	"io"
	"os"

	"countersign/internal/fault"
)

// spoolMemory is how much a spool keeps in memory, in bytes; the rest is on disk.
const spoolMemory = 64 << 10

// spool keeps what must be read before it can be passed on: in memory while it is
// short, then in a file that has no name, so that none outlives its request.
type spool struct {
	dir    string
	memory []byte
	file   *os.File // nil while memory is enough
	size   int64
}

// Write puts more behind what is there. Its error is server.unavailable.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(p) <= spoolMemory {
		s.memory = append(s.memory, p...)
	} else if err := s.writeFile(p); err != nil {
		return 0, fault.Wrap(fault.ServerUnavailable, err)
	}
	s.size += int64(len(p))
	return len(p), nil
}

func (s *spool) writeFile(p []byte) error {
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	_, err := s.file.Write(p)
	return err
}

// open moves what is in memory to the file.
func (s *spool) open() error {
	file, err := os.CreateTemp(s.dir, "countersign-*")
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

// section is size bytes of what was written, from offset on.
func (s *spool) section(offset, size int64) io.Reader {
	return io.NewSectionReader(s, offset, size)
}

// ReadAt reads what was written.
func (s *spool) ReadAt(p []byte, offset int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(p, offset)
	}
	return bytes.NewReader(s.memory).ReadAt(p, offset)
}

// close gives the file back.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}

// CheckSpoolDir reports whether uploads can wait in dir.
func CheckSpoolDir(dir string) error {
	s := &spool{dir: dir}
	defer s.close()
	return s.open()
}
