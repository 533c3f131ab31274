package e2etest

import (
	"strings"
	"sync"
)

// Log is a log that can be read while it is written.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends to the log.
func (b *Log) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String is all that was written.
func (b *Log) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
