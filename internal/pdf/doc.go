// Package pdf reads and draws PDF documents with PDFium, as WebAssembly in child processes
// with limits.
//
// Files come from unknown people, and reading them can crash, never end or take all memory. So
// it happens in child processes with limits: Workers starts them, and Serve does their
// work. A document is read or refused; it never takes the program down.
package pdf

// Rect is a rectangle on a page as displayed, with its rotation applied: in points from
// the top left corner.
type Rect struct {
	Left, Top, Width, Height float64
}

// Page is the size of a page as displayed, in points.
type Page struct{ Width, Height float64 }

// The values of FormField.Kind.
const (
	KindText      = "text"
	KindCheckbox  = "checkbox"
	KindRadio     = "radio"
	KindButton    = "button"
	KindChoice    = "choice"
	KindSignature = "signature"
)

// FormField is one place of a form field; a field with several places, such as radio
// buttons, occurs several times.
type FormField struct {
	// Name is the full name, its parts joined by dots; Partial is the last part. Label is
	// the field's name for people (/TU), or "".
	Name, Partial, Label string
	Kind                 string // "" if the file has none
	Page                 int    // from 0
	Rect                 Rect
	Required             bool
	// Options are the choices as shown; none if any text may be entered, or if there are
	// more than the limit.
	Options []string
	// Lines says that a text has several lines, and MaxLength limits its characters; 0
	// means no limit.
	Lines     bool
	MaxLength int
	// Unseen says that no reader shows it: it is hidden, has no size or stands off the page.
	Unseen bool
	// Signed says that it is a signature that has been given.
	Signed bool
}

// Anchor asks for the position of a text.
type Anchor struct {
	Text string
	// Index is the number of occurrences to pass over.
	Index int
	// Character is the index of the wanted character of the text, from 0.
	Character int
}

// Place is the position of an anchor's character.
type Place struct {
	Found bool
	Page  int // from 0
	Rect  Rect
}

// Line is a line of text where it stands on its page.
type Line struct {
	Text string
	Rect Rect
}

// Document is the parsed content of a file.
type Document struct {
	// Tagged says that the file tells its structure, for screen readers.
	Tagged bool
	Pages  []Page
	Fields []FormField
	// Signed says that the file has been signed.
	Signed bool
	// XFA says that the file is a form that only readers with XFA show; its pages say no more
	// than that.
	XFA bool
	// Places are the positions of the requested anchors, in their order.
	Places []Place
}

// Refusal is the error of a file that cannot be read, with the reason in English.
type Refusal struct {
	Reason string
	// Busy says that too many files are being read at once: the same file may be read
	// later.
	Busy bool
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// The reasons of a refusal.
const (
	reasonDamaged   = "the file is damaged"
	reasonPassword  = "the file is protected by a password" //nolint:gosec // not a password
	reasonNoPages   = "the file has no pages"
	reasonTooSlow   = "the file takes too long to read"
	reasonBusy      = "too many files are read at once"
	reasonTooLarge  = "the file takes too much memory to read"
	reasonKilled    = "the process that read the file was killed"
	reasonNoProcess = "no process can be started to read the file"
	reasonTooMuch   = "the file has too many pages or fields"
)
