package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/caarlos0/env/v11"
)

// loader is one run of Load.
type loader struct {
	config   Config
	given    map[string]string // the environment's settings, without Prefix
	readFile func(string) ([]byte, error)
	problems report
	warnings report
}

// Load reads the settings from environ, in the form of os.Environ, and from
// the files it names, with readFile, which is os.ReadFile. Variables without
// our prefix are ignored, and one that is empty counts as unset. Paths are the
// settings of the platform's paths.
//
// The error is of type Problems. The Config that comes with it is for
// Config.Redacted alone.
func Load(environ []string, readFile func(string) ([]byte, error), paths ...Path) (Config, error) {
	l := &loader{given: given(environ), readFile: readFile}
	l.config.sources = map[string]Source{}
	l.readPaths(paths)
	l.parse(l.resolve())
	l.normalise()
	l.derive()
	l.check()
	l.config.Warnings = l.warnings.sorted()
	if len(l.problems) > 0 {
		return l.config, Problems(l.problems.sorted())
	}
	return l.config, nil
}

func given(environ []string) map[string]string {
	found := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if short, ours := strings.CutPrefix(name, Prefix); ours && value != "" {
			found[short] = value
		}
	}
	return found
}

// resolve returns the text of each setting that is set, wherever it comes from,
// and warns of what is no setting.
func (l *loader) resolve() map[string]string {
	texts, unknown := map[string]string{}, maps.Clone(l.given)
	for _, s := range settings() {
		delete(unknown, s.name)
		if s.fromFile() {
			delete(unknown, s.name+"_FILE")
		}
		if text, source := l.text(s); source != Default {
			texts[s.name], l.config.sources[s.name] = text, source
		}
	}
	for name := range l.config.Paths {
		delete(unknown, name)
	}
	for name := range unknown {
		l.warnings.add(name, "unknown setting")
	}
	return texts
}

func (l *loader) text(s setting) (string, Source) {
	value, file := l.given[s.name], ""
	if s.fromFile() {
		file = l.given[s.name+"_FILE"]
	}
	switch {
	case value != "" && file != "":
		l.problems.add(s.name, "is set, and so is %s%s_FILE: set one of them", Prefix, s.name)
		return value, Environment
	case file != "":
		return l.content(s.name+"_FILE", file, ""), File
	case value == "":
		return "", Default
	case s.document && !inline(value) && value != none:
		return l.content(s.name, value, "is neither the text itself nor the name of a file: "), File
	}
	return value, Environment
}

// inline tells a document from the name of a file that holds it.
func inline(value string) bool {
	value = strings.TrimSpace(value)
	return strings.HasPrefix(value, "-----BEGIN ") || strings.HasPrefix(value, "[")
}

// content reads file. Neither its text nor its name is repeated in a problem:
// somebody may have put the secret where the name belongs.
func (l *loader) content(name, file, otherwise string) string {
	raw, err := l.readFile(file)
	if err != nil {
		if pathError, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathError.Err
		} else {
			err = errors.New("it cannot be read")
		}
		l.problems.add(name, "%scannot read the file: %v", otherwise, err)
		return ""
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	raw = bytes.TrimSuffix(raw, []byte("\r"))
	if len(raw) == 0 {
		l.problems.add(name, "the file is empty")
	}
	return string(raw)
}

// parse fills in the Config from texts and from the defaults in its tags.
func (l *loader) parse(texts map[string]string) {
	environment := make(map[string]string, len(texts))
	for name, text := range texts {
		environment[Prefix+name] = text
	}
	// Our parsers report by themselves, under the name that OnSet saw last, so
	// that a problem names its variable and never the field or the raw text.
	current := ""
	err := env.ParseWithOptions(&l.config, env.Options{
		Prefix:      Prefix,
		Environment: environment,
		OnSet:       func(name string, _ any, _ bool) { current = strings.TrimPrefix(name, Prefix) },
		FuncMap:     parsers(func(err error) { l.problems.add(current, "%v", err) }),
	})
	if err != nil {
		l.problems = append(l.problems, fmt.Sprintf("%s: %v", Prefix, err))
	}
}
