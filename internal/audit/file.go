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
	torn bool // it ends within a line
}

// OpenFile opens the file of that name, or makes it, readable by its owner alone.
func OpenFile(name string) (*File, error) {
	f := &File{name: name}
	return f, f.open()
}

func (f *File) open() (err error) {
	f.file, err = os.OpenFile(f.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	f.torn = err == nil && endsWithin(f.name)
	return err
}

// endsWithin reports whether the file of that name ends within a line.
func endsWithin(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	last := []byte{'\n'}
	_, _ = file.ReadAt(last, info.Size()-1)
	return last[0] != '\n'
}

// Write appends line in one piece. If the file ends within a line, as after a full disk, it
// begins on the next.
func (f *File) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.moved() {
		_ = f.file.Close()
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	begun := 0
	if f.torn {
		line, begun = append([]byte{'\n'}, line...), 1
	}
	n, err := f.file.Write(line)
	if n > 0 {
		f.torn = line[n-1] != '\n'
	}
	return max(0, n-begun), err
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
