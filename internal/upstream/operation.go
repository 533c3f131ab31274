package upstream

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"countersign/internal/config"
	"countersign/internal/fault"
)

// Operation is one operation of a platform API: a row in its client's table. Calls, the
// path settings and the meaning of refusals follow from it.
type Operation struct {
	// Name is the platform's, in errors, logs and metrics.
	Name   string
	Method string
	// Path is the template of the path below the base address; each {placeholder}
	// stands for a value of the call.
	Path string
	// PathName is the operation's name in config.Paths if Name is another operation's
	// there; see At.
	PathName string
	// Optional are placeholders of Path that a replacement may omit.
	Optional []string
	// Idempotent allows the call to be repeated; see Call.
	Idempotent bool
	// Refusal is the fault key for every reason with which the platform refuses.
	Refusal fault.Key
	// Refusals are the fault keys for HTTP statuses without a known reason; a status that
	// is not listed stays platform.refused.
	Refusals map[int]fault.Key
	// Scenarios say what the person is about to do, to interpret the platform's error
	// codes.
	Scenarios []fault.Scenario
}

// ByStatus returns the fault key for an HTTP status that refuses without a known reason.
func (o Operation) ByStatus(status int) fault.Key {
	if key, listed := o.Refusals[status]; listed {
		return key
	}
	return fault.PlatformRefused
}

// inPaths returns the operation's name in config.Paths.
func (o Operation) inPaths() string { return cmp.Or(o.PathName, o.Name) }

// At returns o with its path in paths, if they have one.
func (o Operation) At(paths config.Paths) Operation {
	o.Path = cmp.Or(paths[o.inPaths()], o.Path)
	return o
}

// Replaceable returns the paths of operations that config.Paths may replace. An operation
// with several methods has one; one without a path of its own has none.
func Replaceable(operations []Operation) []config.Path {
	var all []config.Path
	for _, o := range operations {
		at := slices.IndexFunc(all, func(p config.Path) bool { return p.Operation == o.inPaths() })
		switch {
		case o.Path == "":
		case at < 0:
			all = append(all, config.Path{Operation: o.inPaths(), Methods: []string{o.Method}, Default: o.Path, Check: o.check})
		default:
			all[at].Methods = append(all[at].Methods, o.Method)
		}
	}
	return all
}

var placeholder = regexp.MustCompile(`\{([A-Za-z]*)\}`)

// check reports what is wrong with template as a replacement for Path.
func (o Operation) check(template string) error {
	rest := placeholder.ReplaceAllString(template, "x")
	u, err := url.Parse(rest)
	if err != nil || u.Path == "" || u.Host != "" || !strings.HasPrefix(rest, "/") || strings.ContainsAny(rest, "{}?# \\") || climbs(u.Path) {
		return fmt.Errorf("%q is not a path template such as %s", template, o.Path)
	}
	named, known := placeholders(template), placeholders(o.Path)
	for _, name := range named {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%q: {%s} is no placeholder of this path", template, name)
		}
	}
	for _, name := range known {
		if !slices.Contains(named, name) && !slices.Contains(o.Optional, name) {
			return fmt.Errorf("%q lacks the placeholder {%s}", template, name)
		}
	}
	return nil
}

func placeholders(template string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return names
}

// Fill puts values, by placeholder and escaped, into template. ok is false if a value is
// missing or empty, or would lead out of its place in the path on a server that decodes
// escaped slashes first.
func Fill(template string, values map[string]string) (path string, ok bool) {
	ok = true
	var filled strings.Builder
	filled.Grow(2 * len(template)) // mostly enough
	for {
		before, rest, found := strings.Cut(template, "{")
		filled.WriteString(before)
		if !found {
			return filled.String(), ok
		}
		name, after, _ := strings.Cut(rest, "}")
		value := values[name]
		if value == "" || climbs(value) {
			ok = false
		}
		filled.WriteString(url.PathEscape(value))
		template = after
	}
}

// climbs reports whether value contains "." or ".." between slashes of either kind.
func climbs(value string) bool {
	for segment := range strings.SplitSeq(strings.ReplaceAll(value, `\`, "/"), "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
