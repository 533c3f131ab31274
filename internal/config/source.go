package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/caarlos0/env/v11"
)

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
		return l.content(s, s.name+"_FILE", file, ""), File
	case value == "":
		return "", Default
	case s.document && !inline(value) && value != none:
		return l.content(s, s.name, value, "is neither the text itself nor the name of a file: "), File
	}
	return value, Environment
}

// inline reports whether value is a document itself rather than the name of a file.
func inline(value string) bool {
	value = strings.TrimSpace(value)
	return strings.HasPrefix(value, "-----BEGIN ") || strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") || strings.Contains(value, ": ")
}

// content reads file. Problems repeat neither its text nor its name, because a secret may
// have been given instead of the name.
func (l *loader) content(s setting, name, file, otherwise string) string {
	raw, known := l.contents[s.name]
	var err error
	if !known {
		raw, err = l.readFile(file)
	}
	if err != nil {
		if pathError, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathError.Err
		} else {
			err = errors.New("it cannot be read")
		}
		l.problems.add(name, "%scannot read the file: %v", otherwise, err)
		return ""
	}
	l.config.loaded.files[s.name] = ContentFile{Name: s.name, Path: file, Content: raw}
	if s.lines {
		raw = entries(raw)
	}
	raw = bytes.TrimSuffix(raw, []byte("\n"))
	raw = bytes.TrimSuffix(raw, []byte("\r"))
	if len(raw) == 0 {
		l.problems.add(name, "the file is empty")
	}
	return string(raw)
}

// entries makes a list with commas of one with an entry a line. Empty lines, and what follows
// a # at the beginning of a line or after a space, are left out.
func entries(lines []byte) []byte {
	var all [][]byte
	for line := range bytes.Lines(lines) {
		for i, char := range line {
			if char == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
				line = line[:i]
				break
			}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all = append(all, line)
		}
	}
	return bytes.Join(all, []byte(","))
}

// parse fills in the Config from texts and from the defaults in its tags.
func (l *loader) parse(texts map[string]string) {
	environment := make(map[string]string, len(texts))
	for name, text := range texts {
		environment[Prefix+name] = text
	}
	// Our parsers report problems themselves, under the name that OnSet saw last, so that
	// a problem names its variable and never the field or the raw text.
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
