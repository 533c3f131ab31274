// Package i18n has the texts in all languages. Each language is a directory of message files,
// one file per subject. A person's language is chosen by their setting, then by
// Accept-Language.
//
// It holds the texts and formats dates and numbers. It does not know where they are
// shown.
package i18n

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// messages are the files messages/{language}/{subject}.json, and name.txt, the language's
// own name.
//
//go:embed messages
var messages embed.FS

// Bundle holds every language. It is safe for concurrent use.
type Bundle struct {
	matcher  language.Matcher
	tags     []language.Tag
	printers map[string]*Printer
	matches  matches
}

// New finds the languages of the embedded message files. English is the first and the
// default. standing are the values, name, value, name, value …, of placeholders in messages
// that are printed without values: what the settings say for all of them.
func New(standing ...any) (*Bundle, error) { return find(messages, standing...) }

func find(files fs.FS, standing ...any) (*Bundle, error) {
	languages, err := fs.ReadDir(files, "messages")
	if err != nil {
		return nil, fmt.Errorf("i18n: %w", err)
	}
	b := &Bundle{tags: []language.Tag{language.English}, printers: map[string]*Printer{}, matches: matches{known: map[string]string{}}}
	for _, entry := range languages {
		tag, err := language.Parse(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("i18n: %s: %w", entry.Name(), err)
		}
		if tag != language.English {
			b.tags = append(b.tags, tag)
		}
		b.printers[tag.String()] = newPrinter(files, tag, pairs(standing))
	}
	b.matcher = language.NewMatcher(b.tags)
	return b, nil
}

// read reads the messages of one language, and refuses duplicate ids.
func read(files fs.FS, tag language.Tag) (*i18n.Localizer, error) {
	bundle := i18n.NewBundle(tag)
	bundle.RegisterUnmarshalFunc("json", func(data []byte, v any) error { return json.Unmarshal(data, v) }) // refuses duplicate names
	names, err := fs.Glob(files, path.Join("messages", tag.String(), "*.json"))
	if err != nil {
		return nil, err
	}
	home := map[string]string{}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		file, err := bundle.ParseMessageFileBytes(content, tag.String()+".json")
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", tag, path.Base(name), err)
		}
		for _, message := range file.Messages {
			if first, twice := home[message.ID]; twice {
				return nil, fmt.Errorf("%s: %s is in %s and in %s", tag, message.ID, path.Base(first), path.Base(name))
			}
			home[message.ID] = name
		}
	}
	return i18n.NewLocalizer(bundle, tag.String()), nil
}

// readName reads a language's own name; without one it returns its tag.
func readName(files fs.FS, tag language.Tag) string {
	name, err := fs.ReadFile(files, path.Join("messages", tag.String(), "name.txt"))
	if err != nil {
		return tag.String()
	}
	return strings.TrimSpace(string(name))
}

// Languages returns the tags of all languages, English first.
func (b *Bundle) Languages() []string {
	out := make([]string, len(b.tags))
	for i, tag := range b.tags {
		out[i] = tag.String()
	}
	return out
}

// Has reports whether tag is one of Languages, in the same spelling.
func (b *Bundle) Has(tag string) bool { return b.printers[tag] != nil }

// Match chooses a language: the person's own setting if there is one, else the best fit
// for an Accept-Language header, else English. An Accept-Language that is unreadable or
// unusually long counts as absent.
func (b *Bundle) Match(setting, acceptLanguage string) string {
	if b.Has(setting) {
		return setting
	}
	if acceptLanguage == "" || len(acceptLanguage) > 256 {
		return b.tags[0].String()
	}
	if tag, known := b.matches.get(acceptLanguage); known {
		return tag
	}
	tag := b.match(acceptLanguage)
	b.matches.put(acceptLanguage, tag)
	return tag
}

func (b *Bundle) match(acceptLanguage string) string {
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(wanted) == 0 {
		return b.tags[0].String()
	}
	_, index, _ := b.matcher.Match(wanted...)
	return b.tags[index].String()
}

// matches remembers the languages chosen for headers: browsers send few different ones,
// and matching one costs more than the rest of most requests. When there are too many it
// forgets them all, so that nobody can fill the memory, or keep it full of headers that
// do not recur.
type matches struct {
	mu    sync.RWMutex
	known map[string]string
}

const mostMatches = 1000

func (m *matches) get(header string) (tag string, known bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	tag, known = m.known[header]
	return tag, known
}

func (m *matches) put(header, tag string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= mostMatches {
		clear(m.known)
	}
	m.known[strings.Clone(header)] = tag
}

// For returns the printer of language tag; for an unknown one, English's.
func (b *Bundle) For(tag string) *Printer {
	if p := b.printers[tag]; p != nil {
		return p
	}
	return b.printers[language.English.String()]
}
