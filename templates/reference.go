package templates

import (
	"strings"

	"countersign/internal/fault"
)

// ReferencePath is the path of the API reference.
const ReferencePath = "/docs/api"

// Reference is "/docs/api": the OpenAPI document, for people. Everything in it but the frame is
// in the document's language.
type Reference struct {
	Common
	// About is the introduction.
	About string
	// Groups are the operations, by tag.
	Groups []ReferenceGroup
	// Always are the errors that every operation can answer.
	Always []ReferenceFailure
	// Errors are all errors.
	Errors  []fault.Row
	Schemas []ReferenceSchema
	// Query is what was searched for; "" for the whole reference. Found are the hits.
	Query string
	Found []ReferenceHit
}

// ReferenceGroup is the operations of one tag.
type ReferenceGroup struct {
	Name, About string
	Operations  []ReferenceOperation
}

// ReferenceOperation is one operation. SignIn is "required", "optional" or "none".
type ReferenceOperation struct {
	ID, Method, Path, Summary, About string
	// Also is a second path of the same operation, or "".
	Also       string
	SignIn     string
	Parameters []ReferenceRow
	Bodies     []ReferenceBody
	// Calls are commands that send the operation's examples.
	Calls    []ReferenceText
	Answers  []ReferenceAnswer
	Failures []ReferenceFailure
}

// Matches returns what a search compares with: lower case.
func (o ReferenceOperation) Matches() string {
	return strings.ToLower(strings.Join([]string{o.Method, o.Path, o.Also, o.ID, o.Summary, o.About}, " "))
}

// ReferenceText is a text to copy, with a name if it is one of several.
type ReferenceText struct{ Name, Text string }

// ReferenceBody is a body of one media type.
type ReferenceBody struct {
	Media string
	Rows  []ReferenceRow
}

// ReferenceAnswer is an answer of success, with examples in JSON.
type ReferenceAnswer struct {
	Status, About string
	Bodies        []ReferenceBody
	Examples      []ReferenceText
}

// ReferenceFailure is an answer of failure: its errors, by key, and schemas of keys.
type ReferenceFailure struct {
	Status, About string
	Keys, Schemas []string
}

// ReferenceSchema is a named schema.
type ReferenceSchema struct {
	Name string
	Rows []ReferenceRow
}

// ReferenceRow is a schema within another, or a parameter with its place In.
type ReferenceRow struct {
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

// ReferenceHit is a hit of a search, with the address of what was found.
type ReferenceHit struct{ Href, Code, Text string }

// DocumentLanguage returns the language of the document's texts.
func (p Reference) DocumentLanguage() string { return "en" }

// ReferenceSpan is a piece of a paragraph: a code, or words.
type ReferenceSpan struct {
	Text         string
	Code, Strong bool
}

// Paragraphs returns the paragraphs of a text of the document, which marks codes with ` and
// important words with **.
func (v View) Paragraphs(text string) (all [][]ReferenceSpan) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var spans []ReferenceSpan
		for i, piece := range strings.Split(paragraph, "`") {
			if i%2 == 1 {
				spans = append(spans, ReferenceSpan{Text: piece, Code: true})
				continue
			}
			for j, words := range strings.Split(piece, "**") {
				if words != "" {
					spans = append(spans, ReferenceSpan{Text: words, Strong: j%2 == 1})
				}
			}
		}
		if spans != nil {
			all = append(all, spans)
		}
	}
	return all
}

// SignInID returns the message that says whether an operation needs a sign-in.
func (o ReferenceOperation) SignInID() string {
	switch o.SignIn {
	case "required":
		return "page.reference.sign-in"
	case "optional":
		return "page.reference.sign-in-optional"
	}
	return "page.reference.no-sign-in"
}
