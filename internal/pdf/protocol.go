package pdf

// request is a child process's input, and response its output. Both are sent as gob.
type request struct {
	File []byte
	// Task is the task; the members below are for the tasks that need them.
	Task    task
	Anchors []Anchor // readDocument
	Text    string   // searchText
	Page    int      // readText, drawPage: from 0
	Width   int      // drawPage: pixels
	Filling Filling  // fillFile
	// Memory limits the bytes that the process may take.
	Memory uint64
}

type task int

const (
	readDocument task = iota
	searchText
	readLines
	readText
	drawPage
	fillFile
)

type response struct {
	Refusal  string // "" means that the file was read
	NoPage   bool   // the requested page is beyond the last one
	Document Document
	Lines    []Line
	Text     string
	Places   []Place
	Picture  Picture
	File     []byte
}

// ready is the first message of a child process.
type ready struct {
	PID int
	// Interpreted says that the system allows no machine code to be made, so that PDFium runs
	// some twenty times as long.
	Interpreted bool
}
