package apidoc

import (
	"sync"

	"github.com/dlclark/regexp2/v2"
	"github.com/getkin/kin-openapi/openapi3"
)

// pattern is a regular expression as ECMA 262 has it, with look-ahead.
type pattern struct {
	text string
	*regexp2.Regexp
}

// MatchString reports whether value has a match. Of a text that stands for one of a recording it
// reports what was recorded.
func (p pattern) MatchString(value string) bool {
	if matched, known := recordedMatch(p.text, value); known {
		return matched
	}
	ok, err := p.Regexp.MatchString(value)
	return err == nil && ok
}

// compiled are the patterns met so far; the library keeps them as well, for all documents.
var compiled sync.Map

func compile(text string) (openapi3.RegexMatcher, error) {
	if known, ok := compiled.Load(text); ok {
		if p, ok := known.(pattern); ok {
			return p, nil
		}
	}
	r, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	compiled.Store(text, pattern{text, r})
	return pattern{text, r}, nil
}
