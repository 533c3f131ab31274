package pdf

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// lastRead remembers what was read of the last file: a person who adds a document reads it, and
// so does the sandbox that it is added to. The zero value is ready.
type lastRead struct {
	mu       sync.Mutex
	size     int // of the file; 0 before the first
	sum      [sha256.Size]byte
	document Document
}

// read returns the document of a file, from read unless it is the last one.
func (l *lastRead) read(file []byte, read func() (Document, error)) (Document, error) {
	if d, ok := l.known(file); ok {
		return d, nil
	}
	d, err := read()
	if err == nil {
		sum := sha256.Sum256(file)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.size, l.sum, l.document = len(file), sum, d.clone()
	}
	return d, err
}

func (l *lastRead) known(file []byte) (Document, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size != len(file) || l.sum != sha256.Sum256(file) {
		return Document{}, false
	}
	return l.document.clone(), true
}

// clone returns a document whose lists are the caller's own.
func (d Document) clone() Document {
	d.Pages, d.Fields = slices.Clone(d.Pages), slices.Clone(d.Fields)
	return d
}
