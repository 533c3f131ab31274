package compose

import (
	"slices"
	"strings"

	"countersign/internal/safetext"
)

// A browser does not send back what a page has put into an input: it takes line breaks out of
// one line, makes CR LF of them in several, and leaves out one at the beginning. What a program
// has set and nobody has typed over stays as it is all the same.

// keepUnchanged returns what an input of one line has whose page showed was and that was sent as
// typed: was if that is what a browser sends of it, else typed without white space and
// invisible characters around it.
func keepUnchanged(was, typed string) string {
	if oneLine(was) == oneLine(typed) {
		return was
	}
	return safetext.Trim(typed)
}

// keepUnchangedLines is keepUnchanged for an input of several lines.
func keepUnchangedLines(was, typed string) string {
	if typed = textOf(typed); textOf(safetext.Prose(was)) == typed {
		return was
	}
	return typed
}

func oneLine(text string) string {
	return safetext.Trim(strings.NewReplacer("\r", "", "\n", "").Replace(safetext.Prose(text)))
}

// options returns the options that were typed, one a line, of a list that had those of was: one
// that is still there stays as a program has set it, with white space around it, blank or of
// several lines, wherever it stands now. Blank ones before and after the others stay too, since
// no form shows them; other blank lines are none.
func options(was []string, typed string) []string {
	before, after := blanksAround(was)
	left := map[string][]string{} // by what is shown of them
	most := 1
	for _, option := range was[len(before) : len(was)-len(after)] {
		shown := shownOption(option)
		left[shown] = append(left[shown], option)
		most = max(most, strings.Count(shown, "\n")+1)
	}
	out, rest := slices.Clone(before), []string(nil)
	if typed = textOf(typed); typed != "" {
		rest = strings.Split(typed, "\n")
	}
	for len(rest) > 0 {
		n := min(most, len(rest))
		for n > 1 && len(left[shownOption(strings.Join(rest[:n], "\n"))]) == 0 {
			n--
		}
		shown := shownOption(strings.Join(rest[:n], "\n"))
		switch same := left[shown]; {
		case len(same) > 0:
			out, left[shown] = append(out, same[0]), same[1:]
		case shown != "":
			out = append(out, shown)
		}
		rest = rest[n:]
	}
	return append(out, after...)
}

// shownOption returns what a form shows of an option, line by line without white space around.
func shownOption(option string) string {
	lines := strings.Split(breaks.Replace(safetext.Prose(option)), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// blanksAround returns the blank options before and after all others. If there are no others,
// all stand before.
func blanksAround(all []string) (before, after []string) {
	isShown := func(option string) bool { return strings.TrimSpace(shownOption(option)) != "" }
	first := slices.IndexFunc(all, isShown)
	if first < 0 {
		return all, nil
	}
	last := len(all)
	for !isShown(all[last-1]) {
		last--
	}
	return all[:first], all[last:]
}
