package pdf

// request is what a child process is asked; response is what it answers. Both
// travel as gob.
type request struct {
	File    []byte
	Anchors []Anchor
	// Marks, where there are any, are written, and the answer is the file.
	Marks []Mark
	// LinesOf, where it is not 0, is the page from 1 whose lines are the answer.
	LinesOf int
	// Memory is how many bytes the process may take.
	Memory uint64
}

type response struct {
	Refusal  string // "" is none
	Document Document
	File     []byte
	Lines    []Line
}

// ready is the first message of a child process.
type ready struct{ PID int }
