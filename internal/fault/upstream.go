package fault

import (
	"cmp"
	"slices"

	"countersign/internal/uaf"
)

// Family is the API that a response comes from.
type Family string

// Identity is the identity API, orchestration included.
const Identity Family = "identity"

// Release is a release of the platform, as far as it decides how errors are said.
type Release string

// The releases of part 7 of the specification: R4 is 22.R4 and later, which says
// errors in words; R3 is 22.R3 and earlier, which has numbers for some.
const (
	R4 Release = "22.R4"
	R3 Release = "22.R3"
)

// Scenario is what somebody was about to do, as part 7.2 of the specification
// names it.
type Scenario string

// The scenarios.
const (
	OnlineActivation     Scenario = "Online activation"
	Login                Scenario = "Login"
	Authentication       Scenario = "Authentication"
	Transaction          Scenario = "Transaction"
	RemoteAuthentication Scenario = "Remote authentication"
	RemoteTransaction    Scenario = "Remote transaction"
)

// Upstream is what is understood of a refusal of the platform. Any of it may be
// missing: bodies are empty, pages of a gateway, cut off, or of another release.
type Upstream struct {
	Family  Family
	Release Release
	// Scenarios are those of the call.
	Scenarios []Scenario
	// Refused says that the response is a refusal: a 4xx, or a success that says no.
	Refused bool
	// Texts are what it says, the most telling first.
	Texts []string
	// Number is its errorCode; 0 if none.
	Number int
	// Category is the errorCategory of the newer orchestration service.
	Category string
	// UAFStatusCode is the FIDO UAF status code; 0 if none.
	UAFStatusCode int
}

// meets reports whether the row of key is met in the scenarios of u.
func (u Upstream) meets(key Key) bool {
	row := byKey[key]
	met := func(s Scenario) bool {
		return slices.Contains(row.Scenarios, s) || u.Refused && slices.Contains(row.RefusedIn, s)
	}
	return slices.ContainsFunc(u.Scenarios, met)
}

// Translate finds the row that means what u says and is met in its scenarios, and
// reports whether there is one. A text counts as a whole, in the spelling of normal,
// never by a part of it, which may be what a user typed. The text comes first, as the
// most exact; only "Authentication failed" is less exact than a UAF status code. The
// number and the category follow.
func Translate(u Upstream) (Key, bool) {
	if u.Family != Identity {
		return "", false
	}
	text, uafStatus := u.byText(), u.ifMet(uafRows[uaf.Status(u.UAFStatusCode)])
	if text == AuthenticationFailed {
		text = cmp.Or(uafStatus, text)
	}
	key := cmp.Or(text, uafStatus, u.ifMet(u.byNumber()), u.ifMet(categoryRows[u.Category]))
	return key, key != ""
}

// ifMet is key if its row is met in the scenarios of u, else "".
func (u Upstream) ifMet(key Key) Key {
	if u.meets(key) {
		return key
	}
	return ""
}

func (u Upstream) byText() Key {
	for _, text := range u.Texts {
		keys := bySpelling[normal(text)]
		if i := slices.IndexFunc(keys, u.meets); i >= 0 {
			return keys[i]
		}
	}
	return ""
}

// byNumber reads the number and, up to 22.R3, also a number in place of a text.
func (u Upstream) byNumber() Key {
	if key := numberRow(u.Number); key != "" || u.Release != R3 {
		return key
	}
	for _, text := range u.Texts {
		if key := numberRow(integer(text)); key != "" {
			return key
		}
	}
	return ""
}

// Refusal is a call that the platform did not carry out.
type Refusal struct {
	// Status is the row of the HTTP status.
	Status Key
	// Own is the row of the call's own refusals.
	Own Key
	// Reason is the row of what the platform said; "" if nothing that is known.
	Reason Key
}

// Key is the row of the refusal. The status decides, with two exceptions: a reason
// that a person can act upon is a refusal even under the status of a failure, and a
// sign-in with a known reason is refused whatever the status, because for an account
// that does not exist no reason is given.
func (r Refusal) Key() Key {
	row, known := byKey[r.Reason]
	switch {
	case !known || row.Refines, r.Status != PlatformFailed && r.Status != PlatformRefused:
		return r.Status
	case r.Own == SignInRefused, !row.platformFailed():
		return r.Own
	}
	return r.Status
}
