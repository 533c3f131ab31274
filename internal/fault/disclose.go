package fault

import (
	"net/http"

	"countersign/internal/uaf"
)

// Audience is who an error is told to.
type Audience int

// The audiences.
const (
	// Anonymous is whoever has not proved to be the person whom the error
	// concerns: not signed in, or signed in as somebody else.
	Anonymous Audience = iota
	// SignedIn is that person, signed in.
	SignedIn
	// Unrestricted is anybody, where the installation reveals account states.
	Unrestricted
)

// Disclose returns err as it may be shown to an audience. The result names the
// row of what exactly happened, unless that is concealed; then it keeps the row
// of the call:
//
//   - a refused sign-in gives no reason and one UAF status code, but to
//     Unrestricted. A failure of the platform is none to SignedIn, who proves
//     again who they are. Whoever has proved to know the password is told in the
//     words of the reason why it is refused;
//   - a refused activation gives Anonymous no reason that a person could act on,
//     because each says something about an account;
//   - a Private row is not for Anonymous.
//
// The orchestration command stays: it is the SDK's, which needs it to end its
// flow.
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
	case reason.Refines && !told.Row().platformFailed():
		told.words = reason.Key
	case reason.Refines: // why something was refused, which it was not
	default:
		told.Key = reason.Key
	}
	if to == Anonymous && told.Row().Private {
		told.Key = PlatformRefused
	}
	return &told
}

// concealSignIn gives e the one UAF status code that every refused sign-in by UAF
// has; no other has one.
func (e *Error) concealSignIn() {
	e.UAFStatusCode = 0
	if e.UAF {
		e.UAFStatusCode = int(uaf.StatusUnauthorized)
	}
}

// platformFailed reports whether the row is a failure of the platform.
func (r Row) platformFailed() bool { return r.Status >= http.StatusInternalServerError }

// refuses reports whether the row is a refusal that depends on an account.
func (r Row) refuses() bool { return r.Status == http.StatusConflict }
