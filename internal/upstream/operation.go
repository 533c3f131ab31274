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
	// Optional are placeholders that a replacement may use or omit, whether Path has them or
	// not.
	Optional []string
	// Naming are placeholders of which a replacement needs one at least; nil asks for none.
	Naming []string
	// Query allows a replacement to have a query. The call adds its own parameters to it.
	Query bool
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
// with several methods has one; one without a path has none.
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
	if err != nil || u.Path == "" || u.Host != "" || !strings.HasPrefix(rest, "/") || strings.ContainsAny(rest, "{}# \\") || climbs(u.Path) {
		return fmt.Errorf("%q is not a path template such as %s", template, o.Path)
	}
	if err := o.checkQuery(template, rest); err != nil {
		return err
	}
	named, own := placeholders(template), placeholders(o.Path)
	for _, name := range named {
		if !slices.Contains(own, name) && !slices.Contains(o.Optional, name) {
			return fmt.Errorf("%q: {%s} is not a placeholder of this path", template, name)
		}
	}
	for _, name := range own {
		if !slices.Contains(named, name) && !slices.Contains(o.Optional, name) {
			return fmt.Errorf("%q lacks the placeholder {%s}", template, name)
		}
	}
	if o.Naming != nil && !slices.ContainsFunc(named, func(name string) bool { return slices.Contains(o.Naming, name) }) {
		return fmt.Errorf("%q needs one of the placeholders {%s}", template, strings.Join(o.Naming, "}, {"))
	}
	return nil
}

// checkQuery reports what is wrong with the query of template; rest is template with its
// placeholders filled.
func (o Operation) checkQuery(template, rest string) error {
	_, query, found := strings.Cut(rest, "?")
	if !found {
		return nil
	}
	values, err := url.ParseQuery(query)
	switch {
	case !o.Query:
		return fmt.Errorf("%q: this path has no query", template)
	case err != nil || query == "" || strings.Contains(query, "?"):
		return fmt.Errorf("%q is not a path template such as %s", template, o.Path)
	case values.Has("offset") || values.Has("limit"):
		return fmt.Errorf("%q: offset and limit are added to it", template)
	}
	return nil
}

// Names reports whether template has one of the placeholders.
func Names(template string, any ...string) bool {
	return slices.ContainsFunc(any, func(name string) bool { return strings.Contains(template, "{"+name+"}") })
}

func placeholders(template string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return names
}

// Fill puts values, by placeholder and escaped, into template, a path that may have a query.
// ok is false if a value is missing or empty, or would lead out of its place in the path on a
// server that decodes escaped slashes first.
func Fill(template string, values map[string]string) (path string, ok bool) {
	ok = true
	escape := url.PathEscape
	var filled strings.Builder
	filled.Grow(2 * len(template)) // mostly enough
	for {
		before, rest, found := strings.Cut(template, "{")
		filled.WriteString(before)
		if strings.Contains(before, "?") {
			escape = url.QueryEscape
		}
		if !found {
			return filled.String(), ok
		}
		name, after, _ := strings.Cut(rest, "}")
		value := values[name]
		if value == "" || climbs(value) {
			ok = false
		}
		filled.WriteString(escape(value))
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
