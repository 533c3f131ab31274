package fault

import (
	"cmp"
	"slices"

	"countersign/internal/uaf"
)

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
