package index

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"sync"
)

// dictionary is a typical package: what an item shares with it takes no room once
// deflated. Another dictionary begins another index.
//
//go:embed dictionary.json
var dictionary []byte

// format names the dictionary that records are deflated with.
func format() string {
	sum := sha256.Sum256(dictionary)
	return "dictionary " + hex.EncodeToString(sum[:8])
}

// deflaters and inflaters are pools, since each of them takes much memory to make.
var (
	deflaters = sync.Pool{New: func() any {
		w, err := flate.NewWriterDict(nil, flate.DefaultCompression, dictionary)
		if err != nil {
			panic(err) // only for a level that does not exist
		}
		return w
	}}
	inflaters = sync.Pool{New: func() any { return flate.NewReaderDict(nil, dictionary) }}
)

// inflater is the interface of what flate.NewReaderDict returns.
type inflater interface {
	io.Reader
	flate.Resetter
}

func deflate(plain []byte) []byte {
	var out bytes.Buffer
	w, _ := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(plain) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

func inflate(deflated []byte) ([]byte, error) {
	r, _ := inflaters.Get().(inflater)
	defer inflaters.Put(r)
	if err := r.Reset(bytes.NewReader(deflated), dictionary); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
