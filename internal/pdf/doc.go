// Package pdf reads PDF documents with PDFium, which runs as WebAssembly: the sizes and
// pictures of pages, form fields, text, and where a text stands.
//
// Files come from strangers, and what reads them can crash, never end or take all
// memory. So it runs in child processes with limits: Workers starts them, Serve is the
// work that they do. A document is read or refused; it never takes the program down.
package pdf

// Rect is a rectangle on a page as it is displayed, its rotation applied: in
// points from the top left corner.
type Rect struct {
	Left, Top, Width, Height float64
}

// Page is the size of a page as it is displayed, in points, and by how many
// degrees it is turned clockwise for that: 0, 90, 180 or 270.
type Page struct {
	Width, Height float64
	Rotation      int
}

// The values of FormField.Kind.
const (
	KindText      = "text"
	KindCheckbox  = "checkbox"
	KindRadio     = "radio"
	KindButton    = "button"
	KindChoice    = "choice"
	KindSignature = "signature"
)

// FormField is one place of a form field; a field that stands in several places,
// such as radio buttons, is there several times.
type FormField struct {
	// Name is the full name, its parts joined by dots; Partial is the last part. Label
	// is what people call the field (/TU); empty where the file does not say.
	Name, Partial, Label string
	Kind                 string // "" where the file does not say
	Page                 int    // from 0
	Rect                 Rect
	Required             bool
	// Options are what a choice offers, as it shows them; none where any text may be
	// typed, or where they are more than are read.
	Options []string
	// Lines says that a text has several lines, and MaxLength how many characters it
	// has at most; 0 is any number.
	Lines     bool
	MaxLength int
}

// Anchor asks where a text stands.
type Anchor struct {
	Text string
	// Index is how many occurrences are passed over.
	Index int
	// Character is which character of the text is meant, from 0.
	Character int
}

// Place is where an anchor's character stands.
type Place struct {
	Found bool
	Page  int // from 0
	Rect  Rect
}

// Match is a text that matches a pattern, white space as one space each, and where its
// first character stands.
type Match struct {
	Text  string
	Place Place
}

// Line is a line of text where it stands on its page.
type Line struct {
	Text string
	Rect Rect
}

// Document is what is known of a file.
type Document struct {
	// Tagged says that the file tells its structure, for screen readers.
	Tagged bool
	Pages  []Page
	Fields []FormField
	// Places are those of the anchors that were asked for, in their order.
	Places []Place
	// Matches are those of the pattern that was asked for, by page, as they are written.
	Matches []Match
}

// Refusal is the error of a file that cannot be read, with the reason in English.
type Refusal struct {
	Reason string
	// Busy says that too many files are read at once: the same file may be read
	// later.
	Busy bool
}

// Error is the reason.
func (r *Refusal) Error() string { return r.Reason }

// The reasons of a refusal.
const (
	reasonDamaged  = "the file is damaged"
	reasonPassword = "the file is protected by a password" //nolint:gosec // It is none.
	reasonNoPages  = "the file has no pages"
	reasonTooSlow  = "the file takes too long to read"
	reasonBusy     = "too many files are read at once"
	reasonTooLarge = "the file takes too much memory to read"
	reasonTooMuch  = "the file has too many pages or fields"
)
