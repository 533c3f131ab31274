package reference

import (
	"strings"

	"countersign/internal/fault"
	"countersign/templates"
)

// Path is the path of the API reference.
const Path = "/docs/api"

// Page is "/docs/api": the OpenAPI document, for people. Everything in it but the frame is
// in the document's language, English.
type Page struct {
	templates.Common
	// About is the introduction.
	About string
	// Groups are the operations, by tag.
	Groups []group
	// Always are the errors that every operation can answer.
	Always []failure
	// Errors are all errors.
	Errors  []fault.Row
	Schemas []schemaSection
	// Query is what was searched for; "" for the whole reference. Found are the hits.
	Query string
	Found []hit
}

// group is the operations of one tag.
type group struct {
	Name, About string
	Operations  []entry
}

// entry is one operation.
type entry struct {
	ID, Method, Path, Summary, About string
	// Also is a second path of the same operation, or "".
	Also string
	// SignInID is the message that says whether it needs a sign-in.
	SignInID   string
	Parameters []row
	Bodies     []body
	// Calls are commands that send the operation's examples.
	Calls    []sample
	Answers  []answer
	Failures []failure
}

// Matches returns what a search compares with: lower case.
func (e entry) Matches() string {
	return strings.ToLower(strings.Join([]string{e.Method, e.Path, e.Also, e.ID, e.Summary, e.About}, " "))
}

// sample is a text to copy, with a name if it is one of several.
type sample struct{ Name, Text string }

// body is a body of one media type.
type body struct {
	Media string
	Rows  []row
}

// answer is an answer of success, with examples in JSON.
type answer struct {
	Status, About string
	Bodies        []body
	Examples      []sample
}

// failure is an answer of failure: its errors, by key, and schemas of keys.
type failure struct {
	Status, About string
	Keys, Schemas []string
}

// schemaSection is a named schema.
type schemaSection struct {
	Name string
	Rows []row
}

// row is a schema within another, or a parameter with its place In.
type row struct {
	// Name is the path of a member, as in "user.id" or "results[]"; "" for the whole.
	Name, In string
	Required bool
	// Part says how the schema counts among others: "one of", "all of", "any of"; or "".
	Part string
	// Ref names the schema that this one refers to, or "".
	Ref, Type, About string
	// Values are those allowed, and Rules the keywords, as in "minLength: 1".
	Values, Rules []string
}

// hit is a hit of a search, with the address of what was found.
type hit struct{ Href, Code, Text string }

// span is a piece of a paragraph: a code, or words.
type span struct {
	Text         string
	Code, Strong bool
}

// Paragraphs returns the paragraphs of a text of the document, which marks codes with ` and
// important words with **.
func (Page) Paragraphs(text string) (all [][]span) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var spans []span
		for i, piece := range strings.Split(paragraph, "`") {
			if i%2 == 1 {
				spans = append(spans, span{Text: piece, Code: true})
				continue
			}
			for j, words := range strings.Split(piece, "**") {
				if words != "" {
					spans = append(spans, span{Text: words, Strong: j%2 == 1})
				}
			}
		}
		if spans != nil {
			all = append(all, spans)
		}
	}
	return all
}
