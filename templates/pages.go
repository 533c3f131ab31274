package templates

import (
	"time"

	"countersign/internal/fault"
)

// Common is the content that every page has.
type Common struct {
	// Language is the BCP 47 tag the page is written in.
	Language string
	// Nonce is the nonce of this answer's Content-Security-Policy (script-src).
	Nonce string
	// RequestID is the number by which the log lists this request.
	RequestID string
	// Path is the path of the page, with the query that coming back to it needs.
	Path string
	// Person is the signed-in person; nil if nobody is.
	Person *Person
	// Press tells the press of a form's button on this page from one on another; every form that
	// does something sends it as press.
	Press string
	// ShownTo is the sealed person, which every form of theirs sends as shown_to; empty if
	// nobody is signed in.
	ShownTo string
	// SignedInAt is when the person signed in last; zero if nobody is signed in.
	SignedInAt time.Time
	// MakesPasskey says that the page may have a passkey made by itself for the person.
	MakesPasskey bool
	// Notice says what has just been done; an empty or unknown one shows nothing.
	Notice Notice
	// Problem is the error of the form that was sent, or nil. Home and Error do not show
	// it.
	Problem *Problem
}

// Person is a signed-in person. ID is userID@domain.
type Person struct{ ID, DisplayName string }

// Problem is an error that the page shows above its form, in the catalogue's words, with
// Common.RequestID.
type Problem struct {
	Row fault.Row
	// Detail, if not empty, is a more exact sentence in the page's language; it replaces
	// the row's message.
	Detail string
	// RetryAfter is the wait before another try; zero if unknown.
	RetryAfter time.Duration
	// Again holds the fields of the failed form, by name, for sending it once more if
	// that can help; nil if a person has to fill it in again.
	Again map[string]string
}

// Notice names a sentence about what has just been done: "removed" stands for the message
// "page.notice.removed". It is short and safe to travel in a query: one without a message
// shows nothing.
type Notice string

// Seconds returns d in whole seconds, rounded up.
func Seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
