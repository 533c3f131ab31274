package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"countersign/internal/fault"
)

const (
	// maxFiles and maxFilesSize limit the documents that a node keeps, and their bytes.
	maxFiles     = 64
	maxFilesSize = 256 << 20
	// maxFile limits the bytes of one document whose pages are shown.
	maxFile = 64 << 20
	// settled is the age from which the platform's date of an update, in whole seconds,
	// tells a document from the one before.
	settled = 2 * time.Second
)

var errLargeFile = errors.New("the document is too large to be shown")

// Files keeps documents of packages on this node, in files without a name, so that each is
// fetched once from the platform for as long as its package is not updated. It is safe for
// concurrent use.
type Files struct {
	// Dir holds the files; "" is the system's folder for temporary files.
	Dir string
	Now func() time.Time

	mu   sync.Mutex
	kept map[fileKey]*keptFile
	size int64
}

// fileKey names a document as of an update of its package.
type fileKey struct{ pkg, document, updated string }

// keptFile is the file of a document, once it is fetched.
type keptFile struct {
	turn chan struct{} // holds a value while the file is fetched or read
	file *os.File      // nil before it is fetched
	size int64
	used time.Time
}

// Read returns the bytes of a document, fetched at most once for each key. A document that
// was updated a moment ago is fetched each time.
func (f *Files) Read(ctx context.Context, key fileKey, fetch func(context.Context) (io.ReadCloser, error)) ([]byte, error) {
	at, err := time.Parse(time.RFC3339, key.updated)
	if err != nil || f.Now().Sub(at) < settled {
		return fetched(ctx, fetch)
	}
	one := f.entry(key)
	select {
	case one.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.Wrap(fault.RequestCancelled, ctx.Err())
	}
	defer func() { <-one.turn }()
	if one.file != nil {
		content := make([]byte, one.size)
		if _, err := one.file.ReadAt(content, 0); err != nil {
			return nil, fault.Wrap(fault.ServerUnavailable, fmt.Errorf("read a kept document: %w", err))
		}
		return content, nil
	}
	content, err := fetched(ctx, fetch)
	if err != nil {
		f.remove(key, one)
		return nil, err
	}
	return content, f.keep(key, one, content)
}

// entry returns the entry of a key, a new one if there is none.
func (f *Files) entry(key fileKey) *keptFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.kept[key]
	if one == nil {
		one = &keptFile{turn: make(chan struct{}, 1)}
		if f.kept == nil {
			f.kept = map[fileKey]*keptFile{}
		}
		f.kept[key] = one
	}
	one.used = f.Now()
	return one
}

// keep writes the content of an entry, whose turn is taken, and makes room for it.
func (f *Files) keep(key fileKey, one *keptFile, content []byte) error {
	file, err := os.CreateTemp(f.Dir, "document-*")
	if err == nil {
		err = os.Remove(file.Name())
	}
	if err == nil {
		_, err = file.Write(content)
	}
	if err != nil {
		f.remove(key, one)
		return fault.Wrap(fault.ServerUnavailable, fmt.Errorf("keep a document: %w", err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept[key] != one { // dropped meanwhile
		return file.Close()
	}
	one.file, one.size = file, int64(len(content))
	f.size += one.size
	for len(f.kept) > maxFiles || f.size > maxFilesSize {
		f.dropOldest(one)
	}
	return nil
}

// dropOldest drops the entry that was not used for longest, except for one; f.mu is held.
func (f *Files) dropOldest(except *keptFile) {
	var oldest fileKey
	var found *keptFile
	for key, one := range f.kept {
		if one != except && (found == nil || one.used.Before(found.used)) {
			oldest, found = key, one
		}
	}
	if found == nil { // the exception alone is too large
		oldest, found = f.keyOf(except), except
	}
	f.drop(oldest, found)
}

func (f *Files) keyOf(one *keptFile) (key fileKey) {
	for k, other := range f.kept {
		if other == one {
			key = k
		}
	}
	return key
}

// drop takes an entry out; f.mu is held. Its file is closed once no read is under way.
func (f *Files) drop(key fileKey, one *keptFile) {
	delete(f.kept, key)
	f.size -= one.size
	go func() {
		one.turn <- struct{}{}
		defer func() { <-one.turn }()
		if one.file != nil {
			_ = one.file.Close()
			one.file = nil // who waited for it fetches the document
		}
	}()
}

// remove takes out an entry without a file.
func (f *Files) remove(key fileKey, one *keptFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept[key] == one {
		delete(f.kept, key)
	}
}

// Drop drops the documents of a package; "" drops all.
func (f *Files) Drop(pkg string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key, one := range f.kept {
		if pkg == "" || key.pkg == pkg {
			f.drop(key, one)
		}
	}
}

func fetched(ctx context.Context, fetch func(context.Context) (io.ReadCloser, error)) ([]byte, error) {
	file, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a document: %w", err)
	case len(content) > maxFile:
		return nil, fault.Wrap(fault.DocumentNotShown, errLargeFile)
	}
	return content, nil
}
