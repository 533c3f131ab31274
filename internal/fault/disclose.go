package fault

import "net/http"

// Audience is the recipient of an error.
type Audience int

// The audiences.
const (
	// Anonymous has not proved to be the person that the error concerns: not signed in,
	// or signed in as somebody else.
	Anonymous Audience = iota
	// SignedIn is that person, signed in.
	SignedIn
	// Unrestricted is anybody on an installation that reveals account states.
	Unrestricted
)

// Disclose returns err as an audience may see it. The result names the specific row
// unless that is concealed; then it keeps the row of the call:
//
//   - a refused sign-in gives no reason and a fixed UAF status code, except to
//     Unrestricted. For SignedIn, who authenticates again, a failure of the platform
//     stays a failure. A person who proved to know the password gets the texts of the
//     reason why it is refused;
//   - a refused activation gives Anonymous no actionable reason, because each reason
//     reveals something about an account;
//   - a Private row is not shown to Anonymous.
//
// The orchestration command stays: the SDK needs it to end its flow.
func Disclose(err error, to Audience) *Error {
	told := *From(err)
	reason := byKey[told.Specific] // the zero Row where no reason is known
	told.Specific = ""
	switch {
	case told.Key == SignInRefused && told.Proved && to != Unrestricted:
		told.words = reason.Key
	case told.Key == SignInRefused && (to == Anonymous || to == SignedIn && !reason.platformFailed()):
		told.concealSignIn()
	case to == Anonymous && (reason.Private || told.Key == ActivationRefused && reason.refuses()):
	case reason.Key == "":
	case reason.DetailOnly && !told.Row().platformFailed():
		told.words = reason.Key
	case reason.DetailOnly: // why something was refused, which it was not
	default:
		told.Key = reason.Key
	}
	if to == Anonymous && told.Row().Private {
		told.Key = PlatformRefused
	}
	return &told
}

// uafUnauthorized is the UAF status code of a client that is not signed in.
const uafUnauthorized = 1401

// concealSignIn gives e the one UAF status code that every refused sign-in by UAF has,
// and removes that of any other.
func (e *Error) concealSignIn() {
	e.UAFStatusCode = 0
	if e.UAF {
		e.UAFStatusCode = uafUnauthorized
	}
}

// platformFailed reports whether the row is a failure of the platform.
func (r Row) platformFailed() bool { return r.Status >= http.StatusInternalServerError }

// refuses reports whether the row is a refusal that depends on an account.
func (r Row) refuses() bool { return r.Status == http.StatusConflict }
