package fault

import (
	"cmp"
	"slices"
)

// meets reports whether the row of key occurs in a scenario of u.
func (u Upstream) meets(key Key) bool {
	row := byKey[key]
	met := func(s Scenario) bool {
		return slices.Contains(row.Scenarios, s) || u.Refused && slices.Contains(row.RefusedIn, s)
	}
	return slices.ContainsFunc(u.Scenarios, met)
}

// Translate returns the row that u means in its scenarios; the boolean is false if there
// is none. A text counts only as a whole, in the spelling of normal, since a part of it
// may be a user's input. The text comes first, as the most exact; only "Authentication
// failed" is less exact than a UAF status code. The number and the category follow.
func Translate(u Upstream) (Key, bool) {
	if u.Family != Identity {
		return "", false
	}
	text, uafStatus := u.byText(), u.ifMet(uafRows[u.UAFStatusCode])
	if text == AuthenticationFailed {
		text = cmp.Or(uafStatus, text)
	}
	key := cmp.Or(text, uafStatus, u.ifMet(u.byNumber()), u.ifMet(categoryRows[u.Category]))
	return key, key != ""
}

// ifMet returns key if its row occurs in a scenario of u, or "".
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

// byNumber returns the row of the number or, up to 22.R3, of a number given as a text.
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
	// Status is the row for the HTTP status.
	Status Key
	// Own is the row for the call's own refusals.
	Own Key
	// Reason is the row for the platform's reason, or "" for an unknown one.
	Reason Key
}

// Key returns the row of the refusal. The status decides, with two exceptions: a reason
// that a person can act upon is a refusal even with the status of a failure, and a
// sign-in with a known reason is refused whatever the status, because for an account that
// does not exist there is no reason.
func (r Refusal) Key() Key {
	row, known := byKey[r.Reason]
	switch {
	case !known || row.DetailOnly, r.Status != PlatformFailed && r.Status != PlatformRefused:
		return r.Status
	case r.Own == SignInRefused, !row.platformFailed():
		return r.Own
	}
	return r.Status
}
