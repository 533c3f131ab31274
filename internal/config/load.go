package config

import (
	"maps"
	"strings"
)

// loader is one run of Load.
type loader struct {
	config   Config
	given    map[string]string // the environment's settings, without Prefix
	readFile func(string) ([]byte, error)
	contents map[string][]byte // of settings whose files are not read; mostly nil
	problems report
	warnings report
}

// Load reads the settings from environ, in the form of os.Environ, and from the files
// that it names, with readFile, such as os.ReadFile. Variables without our prefix are
// ignored, and an empty one counts as unset. operations are the operations whose paths
// may be replaced.
//
// The error is of type Problems. The Config returned with an error is for Config.Redacted
// alone.
func Load(environ []string, readFile func(string) ([]byte, error), operations ...Path) (Config, error) {
	return (&loader{given: given(environ), readFile: readFile}).load(operations)
}

func (l *loader) load(operations []Path) (Config, error) {
	l.config.sources = map[string]Source{}
	l.config.loaded = loadInput{l.given, operations, map[string]ContentFile{}}
	l.parse(l.resolve())
	l.normalise()
	l.derive()
	l.check()
	l.paths(operations)
	l.config.Warnings = l.warnings.sorted()
	if len(l.problems) > 0 {
		return l.config, Problems(l.problems.sorted())
	}
	return l.config, nil
}

// byteOrderMark is what some editors put before a text, and nobody sees.
const byteOrderMark = "\ufeff"

// wrapped says what came along with a value from a shell, a file of variables or an editor; "" for
// nothing. It does not repeat the value, which may be a secret.
func wrapped(text string) string {
	if strings.Contains(text, byteOrderMark) {
		return "holds a byte order mark (U+FEFF), which cannot be seen: save the file without it"
	}
	if n := len(text); n > 1 && text[0] == text[n-1] && strings.ContainsRune("\"'`", rune(text[0])) {
		return "begins and ends with a quotation mark, which is part of the value here: leave both out"
	}
	return ""
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

// resolve returns the text of each given setting from the environment or its file, and warns
// of unknown settings.
func (l *loader) resolve() map[string]string {
	texts, unknown := map[string]string{}, maps.Clone(l.given)
	for _, s := range settings() {
		delete(unknown, s.name)
		if s.fromFile() {
			delete(unknown, s.name+"_FILE")
		}
		if text, source := l.text(s); source != Default {
			texts[s.name], l.config.sources[s.name] = text, source
			if wrong := wrapped(text); wrong != "" && !s.document {
				l.problems.add(s.name, "%s", wrong)
			}
		}
	}
	for name := range unknown {
		l.warnings.add(name, "unknown setting")
	}
	return texts
}
