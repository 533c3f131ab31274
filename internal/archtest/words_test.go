package archtest_test

import (
	"fmt"
	"regexp"
	"strings"
)

const glossary = "docs/glossary.md"

var (
	avoided = regexp.MustCompile(`(?m)^\| ([a-z ]+) \|`)
	guides  = regexp.MustCompile(`^docs/(integrate|sandbox)/.*\.md$`)
	// integrators is what developers read who call Countersign.
	integrators = regexp.MustCompile(guides.String() + `|^web/openapi/.*\.json$`)
)

// avoidedWords returns the words in guides and the OpenAPI document that the glossary lists as words to avoid.
func avoidedWords(files []file) []string {
	var words []string
	for _, f := range files {
		if _, table, _ := strings.Cut(f.text, "## Words to avoid\n"); f.path == glossary {
			for _, row := range avoided.FindAllStringSubmatch(table, -1) {
				if row[1] != "word" { // the head of the table
					words = append(words, strings.ReplaceAll(row[1], " ", `\s+`))
				}
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	pattern := regexp.MustCompile(`(?i)\b(?:` + strings.Join(words, "|") + `)s?\b`)
	var found []string
	for _, f := range files {
		if !integrators.MatchString(f.path) {
			continue
		}
		text := unfenced(f)
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			found = append(found, fmt.Sprintf("%s:%d: %s", f.path, 1+strings.Count(text[:at[0]], "\n"), text[at[0]:at[1]]))
		}
	}
	return found
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
