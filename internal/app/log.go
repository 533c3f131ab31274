package app

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"countersign/internal/config"
)

const (
	// logDelay limits how long a line of the log waits for others, so that busy requests
	// share a write; logBatch limits the bytes that wait.
	logDelay = 100 * time.Millisecond
	logBatch = 32 << 10
)

// Log is the log of the program. Its lines are written together, within a tenth of a
// second; an error is written at once, with all before it.
type Log struct {
	*slog.Logger
	lines *lines
}

// NewLog returns a log that writes to w. Flush must be called before the program ends.
func NewLog(settings config.Log, w io.Writer) *Log {
	out, options := &lines{to: w}, &slog.HandlerOptions{Level: settings.Level}
	var handler slog.Handler = slog.NewTextHandler(out, options)
	if settings.Format == config.LogJSON {
		options.ReplaceAttr = inSeconds
		handler = slog.NewJSONHandler(out, options)
	}
	return &Log{Logger: slog.New(prompt{handler, out}), lines: out}
}

// inSeconds makes JSON write durations in seconds, as metrics do.
func inSeconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.Float64Value(a.Value.Duration().Seconds())
	}
	return a
}

// Flush writes the lines that wait.
func (l *Log) Flush() { l.lines.flush() }

// prompt is a handler that writes errors at once.
type prompt struct {
	slog.Handler
	lines *lines
}

func (p prompt) Handle(ctx context.Context, r slog.Record) error {
	err := p.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelError {
		p.lines.flush()
	}
	return err
}

func (p prompt) WithAttrs(attrs []slog.Attr) slog.Handler {
	return prompt{p.Handler.WithAttrs(attrs), p.lines}
}

func (p prompt) WithGroup(name string) slog.Handler {
	return prompt{p.Handler.WithGroup(name), p.lines}
}

// lines buffers lines that wait to be written.
type lines struct {
	mu      sync.Mutex
	to      io.Writer
	waiting []byte
	flusher *time.Timer // set while lines wait
}

// Write takes one line.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	switch {
	case len(l.waiting) >= logBatch:
		l.write()
	case l.flusher == nil:
		l.flusher = time.AfterFunc(logDelay, l.flush)
	}
	return len(line), nil
}

func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write()
}

// write writes the lines that wait; an error is ignored, since there is no other log.
func (l *lines) write() {
	if l.flusher != nil {
		l.flusher.Stop()
		l.flusher = nil
	}
	if len(l.waiting) > 0 {
		_, _ = l.to.Write(l.waiting)
		l.waiting = l.waiting[:0]
	}
}
