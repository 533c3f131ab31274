package archtest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const glossary = "docs/glossary.md"

var (
	avoided = regexp.MustCompile(`(?m)^\| ([a-z ]+) \|`)
	guides  = regexp.MustCompile(`^docs/(integrate|sandbox)/.*\.md$`)

	action      = regexp.MustCompile(`\{\{[^}]*\}\}`)
	messageName = regexp.MustCompile(`(?m)^\s*"[^"]*":`)
)

// metaphors are the words that no table needs to explain. They have a plain sense in code.
const metaphors = `stands?\s+on|rooms?`

// readerParts are the parts of the repository that are read, each with what is not prose in it and
// the words of the glossary that are still allowed there.
var readerParts = []struct {
	path   *regexp.Regexp
	code   *regexp.Regexp
	prose  bool // it may contain no metaphors
	allows string
}{
	{regexp.MustCompile(guides.String() + `|^web/openapi/.*\.json$`), nil, true, ""},
	{regexp.MustCompile(`^(docs/.*|README|CONTRIBUTING|SECURITY)\.md$`), inline, true, ""},
	{regexp.MustCompile(`^(deploy/.*|\.ci/.*|Makefile|Dockerfile|compose\.yaml)$`), nil, true, ""},
	{regexp.MustCompile(`^internal/i18n/messages/en/`), messageName, true, ""},
	{regexp.MustCompile(`\.html$`), action, true, ""},
	{regexp.MustCompile(`\.go$`), nil, false, "everybody nobody"}, // comments still use them
}

// avoidedWords returns the words, in what is read, that the glossary lists as words to avoid.
func avoidedWords(files []file) []string {
	var words []string
	for _, f := range files {
		if _, table, _ := strings.Cut(f.text, "## Words to avoid\n"); f.path == glossary {
			for _, row := range avoided.FindAllStringSubmatch(table, -1) {
				if row[1] != "word" { // the head of the table
					words = append(words, row[1])
				}
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	var found []string
	for _, part := range readerParts {
		var wrong []string
		for _, word := range words {
			if !slices.Contains(strings.Fields(part.allows), word) {
				wrong = append(wrong, strings.ReplaceAll(word, " ", `\s+`))
			}
		}
		if part.prose {
			wrong = append(wrong, metaphors)
		}
		pattern := regexp.MustCompile(`(?i)\b(?:` + strings.Join(wrong, "|") + `)s?\b`)
		for _, f := range files {
			isCode := strings.HasSuffix(f.path, ".go")
			if !part.path.MatchString(f.path) || f.path == glossary || isCode && (!f.ships() || part.prose) {
				continue
			}
			text := unfenced(f)
			if part.code != nil {
				text = part.code.ReplaceAllString(text, "code")
			}
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				found = append(found, fmt.Sprintf("%s:%d: %s", f.path, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]]))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found) // a page may belong to two parts
}

const sentenceWords = 25

// fence is a block of code in a document.
var fence = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```[^\n]*$")

// unfenced returns a document without its code, with the same lines.
func unfenced(f file) string {
	return fence.ReplaceAllStringFunc(f.text, func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) })
}

var (
	inline      = regexp.MustCompile("`[^`]*`")
	linkTarget  = regexp.MustCompile(`\]\([^)]*\)`)
	newUnit     = regexp.MustCompile(`^(?:\s*$|#|\||\s*- |\s*\d+\. )`)
	sentenceEnd = regexp.MustCompile(`[.!?:;](?:\s|\*|$)|\s\|`)
	oneWord     = regexp.MustCompile(`\S*\w\S*`)
)

// longSentences returns the sentences of guides that have more than 25 words. A colon and a
// semicolon end a sentence, and so does a cell of a table.
func longSentences(files []file) []string {
	var found []string
	for _, f := range files {
		if !guides.MatchString(f.path) {
			continue
		}
		at, unit := 0, ""
		for i, line := range append(strings.Split(unfenced(f), "\n"), "") {
			if !newUnit.MatchString(line) {
				unit += " " + line
				continue
			}
			plain := linkTarget.ReplaceAllString(inline.ReplaceAllString(unit, "code"), "]")
			for _, sentence := range sentenceEnd.Split(plain, -1) {
				if n := len(oneWord.FindAllString(sentence, -1)); n > sentenceWords {
					found = append(found, fmt.Sprintf("%s:%d: %d words: %s", f.path, at+1, n, strings.TrimSpace(sentence)))
				}
			}
			at, unit = i, line
		}
	}
	return found
}
