package pdf

import (
	"crypto/sha256"
	"slices"
	"sync"
)

// lastRead remembers what was read of the last file: whoever adds a document reads it, and
// so does the sandbox that it is added to. The zero value is ready.
type lastRead struct {
	mu       sync.Mutex
	sum      [sha256.Size]byte
	document Document
}

// read returns the document of a file, from read unless it is the last one.
func (l *lastRead) read(file []byte, read func() (Document, error)) (Document, error) {
	sum := sha256.Sum256(file)
	if d, ok := l.known(sum); ok {
		return d, nil
	}
	d, err := read()
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sum, l.document = sum, d.clone()
	}
	return d, err
}

func (l *lastRead) known(sum [sha256.Size]byte) (Document, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.document.clone(), l.sum == sum
}

// clone returns a document whose lists are the caller's own.
func (d Document) clone() Document {
	d.Pages, d.Fields = slices.Clone(d.Pages), slices.Clone(d.Fields)
	return d
}
