package pdf

// request is what a child process is asked, and response is its answer. Both travel as
// gob.
type request struct {
	File []byte
	// Task says what is asked; the members below are for those that need them.
	Task    task
	Anchors []Anchor // readDocument
	Pattern string   // readDocument: a regular expression (RE2); "" is none
	Page    int      // readLines, readText, drawPage: from 0
	Width   int      // drawPage: pixels
	Job     []byte   // changeFile
	// Memory is how many bytes the process may take.
	Memory uint64
}

type task int

const (
	readDocument task = iota
	readLines
	readText
	drawPage
	changeFile
)

type response struct {
	Refusal  string // "" means that the file was read
	NoPage   bool   // the page that was asked for is beyond the last one
	Document Document
	Lines    []Line
	Text     string
	Picture  Picture
	File     []byte
}

// ready is the first message of a child process.
type ready struct{ PID int }
