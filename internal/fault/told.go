package fault

// Reader is who an error is told to.
type Reader int

// The readers.
const (
	// Stranger is somebody who is not signed in.
	Stranger Reader = iota
	// SignedIn is somebody who is.
	SignedIn
	// Confidant is anybody, where the installation reveals accounts' states.
	Confidant
)

// Told is e as it is answered: as what exactly happened, unless that is not for
// the reader. Why a sign-in was refused, and with which UAF status, is for nobody
// but a Confidant; what is Private is not for a Stranger. They are told Key. A row
// that refines gives its words to that of Key.
//
// The command is told to everybody: it is the SDK's, which waits for it to end its
// flow, and only somebody in such a flow can have asked.
func (e *Error) Told(to Reader) *Error {
	told := *e
	told.Specific = ""
	if e.Key == SignInRefused && to != Confidant {
		told.UAFStatusCode = e.SignInStatus
		return &told
	}
	specific, ok := byKey[e.Specific]
	switch {
	case !ok, to == Stranger && specific.Private:
	case specific.Refines:
		told.words = specific.Key
	default:
		told.Key = specific.Key
	}
	return &told
}

// Exact is the row of what exactly happened, for the log.
func (e *Error) Exact() Row {
	if row, ok := byKey[e.Specific]; ok {
		return row
	}
	return e.Row()
}

// Under is e under another key: the same happened, and another row may be told
// of it.
func (e *Error) Under(key Key) *Error {
	other := *e
	other.Key = key
	return &other
}
