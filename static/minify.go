package static

import (
	"path"
	"regexp"
)

// comments match what a browser has no use for, a tenth of what a page weighs: comments of
// stylesheets, and lines of a script that are a comment. A script keeps the ends of these
// lines, so that an error names the line of the source.
var comments = map[string]*regexp.Regexp{
	".css": regexp.MustCompile(`(?s)/\*.*?\*/\n?`),
	".js":  regexp.MustCompile(`(?m)^[ \t]*(//.*|/\*.*\*/)$`),
}

// minify returns the content of the file name without its comments.
func minify(name string, content []byte) []byte {
	if c := comments[path.Ext(name)]; c != nil {
		return c.ReplaceAll(content, nil)
	}
	return content
}
