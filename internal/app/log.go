package app

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/config"
)

const (
	// logDelay limits how long a line of the log waits for others, so that busy requests
	// share a write; logBatch limits the bytes that wait.
	logDelay = 100 * time.Millisecond
	logBatch = 32 << 10
	// logPatience limits how long writing waits for the reader of the log, logEnd how long
	// it does at the end of the program.
	logPatience = 100 * time.Millisecond
	logEnd      = time.Second
)

// Log is the log of the program. Its lines are written together, within a tenth of a
// second; an error is written at once, with all before it. Lines that the reader of the
// output does not take in time are lost.
type Log struct {
	*slog.Logger
	lines *lines
}

// NewLog returns a log that writes to o. Flush must be called before the program ends.
func NewLog(settings config.Log, o *Output) *Log {
	out, options := newLines(o), &slog.HandlerOptions{Level: settings.Level}
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

// Flush writes the lines that wait, for a second at most.
func (l *Log) Flush() { l.lines.flushTo(l.lines.end) }

// Lost returns the number of lines that could not be written.
func (l *Log) Lost() int64 { return l.lines.lost.Load() }

// Library returns a writer for Go's standard log, in which libraries tell of trouble. What they
// quote of the platform's bytes, which may be about a person, is left out.
func (l *Log) Library() io.Writer { return library{l.Logger} }

type library struct{ logger *slog.Logger }

// Write implements io.Writer.
func (w library) Write(line []byte) (int, error) {
	said, _, _ := strings.Cut(strings.TrimSpace(string(line)), " starting with ")
	w.logger.Warn("library message", "text", said)
	return len(line), nil
}

// prompt is a handler that writes errors at once, and lines when they are many. It does so
// when its Handler is through, which others wait for.
type prompt struct {
	slog.Handler
	lines *lines
}

func (p prompt) Handle(ctx context.Context, r slog.Record) error {
	err := p.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelError || p.lines.many() {
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
	to, end io.Writer // end waits as long as it may at the end of the program
	lost    atomic.Int64

	mu      sync.Mutex
	waiting []byte
	spare   []byte      // a buffer that was written
	flusher *time.Timer // set while lines wait
}

func newLines(o *Output) *lines {
	l := &lines{}
	lost := func(lines int) { l.lost.Add(int64(lines)) }
	l.to, l.end = o.Within(logPatience, lost), o.Within(logEnd, lost)
	return l
}

// Write takes one line. It does not wait.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	if l.flusher == nil {
		l.flusher = time.AfterFunc(logDelay, l.flush)
	}
	return len(line), nil
}

// many reports whether the lines that wait are enough for a write.
func (l *lines) many() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting) >= logBatch
}

func (l *lines) flush() { l.flushTo(l.to) }

// flushTo writes the lines that wait; an error is ignored, since there is no other log. Others
// go on adding lines meanwhile.
func (l *lines) flushTo(to io.Writer) {
	l.mu.Lock()
	if l.flusher != nil {
		l.flusher.Stop()
		l.flusher = nil
	}
	batch := l.waiting
	l.waiting, l.spare = l.spare, nil
	l.mu.Unlock()
	_, _ = to.Write(batch)
	l.mu.Lock()
	l.spare = batch[:0]
	l.mu.Unlock()
}
