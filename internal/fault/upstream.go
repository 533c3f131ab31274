package fault

import (
	"cmp"
	"slices"

	"countersign/internal/uaf"
)

// Family is the API that an answer comes from.
type Family string

// Identity is the identity API, orchestration included.
const Identity Family = "identity"

// Release is a release of the platform, where it decides how errors are said.
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
	// Refused says that the answer is a refusal: a 4xx, or a success that says no.
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

// Translate finds the row that says what u says, and reports whether there is
// one that is met in its scenarios. A text counts as a whole, in the spelling of
// normal, never by a part of it: parts of it may be what a user typed. Before all
// else comes the text, as the most exact; only that an authentication failed is
// better said by the UAF status code. Then come the number and the category.
func Translate(u Upstream) (Key, bool) {
	if u.Family != Identity {
		return "", false
	}
	text, uafStatus := u.byText(), u.where(uafRows[uaf.Status(u.UAFStatusCode)])
	if text == AuthenticationFailed {
		text = cmp.Or(uafStatus, text)
	}
	key := cmp.Or(text, uafStatus, u.where(u.byNumber()), u.where(categoryRows[u.Category]))
	return key, key != ""
}

// where is key if it is met in the scenarios of u, else "".
func (u Upstream) where(key Key) Key {
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

// byNumber reads the number where it belongs and, up to 22.R3, where later
// releases have the words.
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

// Refused is the row of a call that the platform did not carry out. Status is the
// row of the HTTP status, refusal that of the call's own refusals, and reason what
// the platform said, "" if nothing that is known.
//
// The status decides, unless the reason speaks against it: a reason that a person
// can act upon is a refusal even under a status that says failure. A sign-in that
// failed for a known reason is refused whatever the status, because no reason is
// given for an account that does not exist.
func Refused(status, refusal, reason Key) Key {
	row, known := byKey[reason]
	switch {
	case !known || row.Refines, status != PlatformFailed && status != PlatformRefused:
		return status
	case refusal == SignInRefused, !row.platformFailed():
		return refusal
	}
	return status
}
