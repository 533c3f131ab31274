package archtest_test

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s#]*)(#[^)\s]+)?\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	anchorTag    = regexp.MustCompile(`<a id="([^"]+)"`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// deadLinks returns the links of documents to files and headings that do not exist.
func deadLinks(files []file) []string {
	var paths []string
	anchors := map[string][]string{}
	for _, f := range files {
		paths = append(paths, f.path)
		if strings.HasSuffix(f.path, ".md") {
			anchors[f.path] = anchorsOf(f.text)
		}
	}
	exists := func(target string) bool {
		return slices.ContainsFunc(paths, func(p string) bool { return p == target || strings.HasPrefix(p, target+"/") })
	}
	var found []string
	for _, f := range files {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, match := range markdownLink.FindAllStringSubmatch(f.text, -1) {
			target := path.Join(f.dir(), match[1])
			if match[1] == "" {
				target = f.path
			}
			switch {
			case strings.Contains(match[1], ":"):
			case !exists(target):
				found = append(found, fmt.Sprintf("%s: there is no %s", f.path, target))
			case match[2] != "" && !slices.Contains(anchors[target], match[2]):
				found = append(found, fmt.Sprintf("%s: %s has no heading %s", f.path, target, match[2]))
			}
		}
	}
	return found
}

// lonelyPages returns the pages of docs that no other document links to, nor to their folder.
func lonelyPages(files []file) []string {
	linked := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, match := range markdownLink.FindAllStringSubmatch(f.text, -1) {
			if target := path.Join(f.dir(), match[1]); target != f.path {
				linked[target] = true
			}
		}
	}
	var found []string
	for _, f := range files {
		if strings.HasPrefix(f.path, "docs/") && strings.HasSuffix(f.path, ".md") && !linked[f.path] && !linked[f.dir()] {
			found = append(found, f.path+":1: no document links to it")
		}
	}
	return found
}

// anchorsOf returns the anchors of a document: those of its headings, as forges make them, and
// its own.
func anchorsOf(text string) (all []string) {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		plain := notInAnchor.ReplaceAllString(strings.ToLower(match[1]), "")
		all = append(all, "#"+strings.ReplaceAll(plain, " ", "-"))
	}
	for _, match := range anchorTag.FindAllStringSubmatch(text, -1) {
		all = append(all, "#"+match[1])
	}
	return all
}
