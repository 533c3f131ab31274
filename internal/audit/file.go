package audit

import (
	"os"
	"sync"
)

// File is a file that lines are appended to. If it was renamed or removed, as by log
// rotation, a new file is made under its name.
type File struct {
	name string
	mu   sync.Mutex
	file *os.File
}

// OpenFile opens the file of that name, or makes it, readable by its owner alone.
func OpenFile(name string) (*File, error) {
	f := &File{name: name}
	return f, f.open()
}

func (f *File) open() (err error) {
	f.file, err = os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return err
}

// Write appends line in one piece.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.moved() {
		_ = f.file.Close()
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	return f.file.Write(line)
}

// moved reports whether the name no longer leads to the open file.
func (f *File) moved() bool {
	named, err := os.Stat(f.name)
	if err != nil {
		return true
	}
	open, err := f.file.Stat()
	return err != nil || !os.SameFile(named, open)
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.file.Close()
}
