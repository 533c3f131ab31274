// Package reload reads the files of settings again while the program runs.
//
// It looks at each file every few seconds, whatever changed it: a rename over it, a symbolic
// link that leads elsewhere, an edit. A change is accepted once two looks in a row have found the
// same, so that no file that is half written is accepted. What cannot be used changes nothing, and
// is logged once.
package reload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"countersign/internal/config"
)

// Interval is the time between two looks: a change is accepted within twice as long.
const Interval = 2 * time.Second

// The results of Options.Observe.
const (
	Accepted = "accepted"
	Refused  = "refused"
)

// Options configure a Reloader.
type Options struct {
	// Config holds the settings and what their files held when they were read.
	Config config.Config
	// Apply puts the settings called names, without config.Prefix, of next to use; all of them
	// are of one group of config.Renewable. After an error it has changed nothing.
	Apply func(next config.Config, names []string) error
	// Observe is called with each setting, by its full name, that was Accepted or Refused.
	Observe func(setting, result string)
	Logger  *slog.Logger
	Now     func() time.Time
}

// Reloader reads settings again.
type Reloader struct {
	Options
	wanted chan struct{}

	mu     sync.Mutex
	config config.Config     // the last good one
	groups map[string]*group // by the first setting
}

// group is what was found at the last looks at the files that are accepted together.
type group struct {
	seen    string // at the last look
	refused string // what was refused, which is tried again in silence
}

// New returns a Reloader of the files that are there and can be read again: not of pipes.
func New(o Options) *Reloader {
	r := &Reloader{Options: o, wanted: make(chan struct{}, 1), config: o.Config, groups: map[string]*group{}}
	for _, files := range o.Config.Renewable() {
		again := true
		for _, f := range files {
			info, err := os.Stat(f.Path)
			again = again && (err != nil || info.Mode().IsRegular())
		}
		if again {
			r.groups[files[0].Name] = &group{}
		}
	}
	return r
}

// Settings returns the full names of the settings that are read again.
func (r *Reloader) Settings() (names []string) {
	for _, files := range r.Config.Renewable() {
		if r.groups[files[0].Name] != nil {
			for _, f := range files {
				names = append(names, config.Prefix+f.Name)
			}
		}
	}
	return names
}

// Certificates returns the certificates that are in use.
func (r *Reloader) Certificates() []config.Certificate {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config.Certificates()
}

// Wake has Run read the files at once, and take them as they are.
func (r *Reloader) Wake() {
	select {
	case r.wanted <- struct{}{}:
	default: // it is going to
	}
}

// Run looks at the files until ctx ends.
func (r *Reloader) Run(ctx context.Context) {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.Look(false)
		case <-r.wanted:
			r.Look(true)
		}
	}
}

// Look reads the files, and takes what has changed if the look before found the same, or
// atOnce.
func (r *Reloader) Look(atOnce bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, files := range r.config.Renewable() {
		if g := r.groups[files[0].Name]; g != nil {
			r.look(g, files, atOnce)
		}
	}
}

func (r *Reloader) look(g *group, files []config.ContentFile, atOnce bool) {
	found := read(files)
	settled := found.print == g.seen || atOnce
	g.seen = found.print
	switch {
	case len(found.changed) == 0:
		g.refused = ""
		return
	case !settled:
		return
	}
	err := found.err
	if err == nil {
		err = r.take(found)
	}
	if err == nil {
		g.refused = ""
		r.Logger.Info("setting reloaded", "settings", found.settings())
		r.observe(found, Accepted)
		return
	}
	if g.refused != found.print {
		r.Logger.Error("setting not reloaded; last good value kept", "settings", found.settings(), "cause", err.Error())
		r.observe(found, Refused)
	}
	g.refused = found.print
}

func (r *Reloader) observe(f finding, result string) {
	for _, name := range f.changed {
		r.Observe(config.Prefix+name, result)
	}
}

// take puts what was found to use, if it is good.
func (r *Reloader) take(f finding) error {
	next, err := r.config.Reload(f.contents)
	if err != nil {
		return err
	}
	now := r.Now()
	for _, c := range next.Certificates() {
		switch _, ours := f.contents[c.Name]; {
		case !ours:
		case !now.Before(c.Until):
			return fmt.Errorf("%s%s: expired at %s", config.Prefix, c.Name, c.Until.UTC().Format(time.RFC3339))
		case now.Before(c.From):
			return fmt.Errorf("%s%s: not good before %s", config.Prefix, c.Name, c.From.UTC().Format(time.RFC3339))
		}
	}
	if err := r.Apply(next, f.names); err != nil {
		return err
	}
	r.config = next
	return nil
}

// finding is what the files of a group hold.
type finding struct {
	names    []string          // of all
	changed  []string          // of those that are not as the last good ones
	contents map[string][]byte // by name
	print    string            // tells whether two findings are the same
	err      error             // why one cannot be read
}

func (f finding) settings() string {
	return config.Prefix + strings.Join(f.changed, " "+config.Prefix)
}

func read(files []config.ContentFile) finding {
	f := finding{contents: map[string][]byte{}}
	for _, file := range files {
		f.names = append(f.names, file.Name)
		content, err := readRegular(file.Path)
		f.contents[file.Name] = content
		if err != nil {
			f.err = err
		}
		if err != nil || string(content) != string(file.Content) {
			f.changed = append(f.changed, file.Name)
		}
		f.print += fmt.Sprintf("%d %v\n%s\n", len(content), err, content)
	}
	return f
}

// longest limits the bytes of a file.
const longest = 1 << 20

// readRegular is os.ReadFile for what cannot keep us waiting. Its errors do not name the file.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	var content []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a file")
	case info.Size() > longest:
		err = errors.New("larger than 1 MiB")
	default:
		content, err = os.ReadFile(path)
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the file: %w", err)
	}
	return content, nil
}
