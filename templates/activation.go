package templates

import (
	"slices"
	"strings"
)

// activationPath is the page where people get an activation password for their phone app.
const activationPath = "/account#phone"

// ActivationSignIn leads there through the sign-in, which people who signed in a short
// time ago do not see.
const ActivationSignIn = "/login?next=%2Faccount%23phone"

// ActivationAway says that the platform does not tell how an activation stands.
const ActivationAway = "away"

// activationIDs are the messages for how an activation stands.
var activationIDs = map[string]string{
	"unknown":      "page.activation.status.unknown",
	"pending":      "page.activation.status.pending",
	"activated":    "page.activation.status.activated",
	"timeout":      "page.activation.status.timeout",
	ActivationAway: "page.activation.status.away",
}

// ActivationState returns what is said of an activation in that state.
func (v View) ActivationState(status string) string { return v.T(activationIDs[status]) }

// ActivationProgress is the page that shows how the activation stands, without scripts too.
func (p Account) ActivationProgress() string { return "/account?activation=progress#phone" }

// NewActivationPassword returns the link there, through the sign-in if nobody is signed
// in.
func (v View) NewActivationPassword() *nextStep {
	if v.Person == nil {
		return &nextStep{v.T("page.activation.get"), ActivationSignIn}
	}
	return &nextStep{v.T("page.activation.get"), activationPath}
}

// SignInPath returns the path of signing in once more and coming back to the phone app.
func (p Account) SignInPath() string { return ActivationSignIn }

// readable is the number of characters that people copy at one look.
const readable = 5

// PasswordGroups returns the activation password in groups of similar length, which are
// easier to type than the whole.
func (p Account) PasswordGroups() []string {
	characters := []rune(p.ActivationPassword)
	if len(characters) == 0 {
		return nil
	}
	count := (len(characters) + readable - 1) / readable
	var groups []string
	for group := range slices.Chunk(characters, (len(characters)+count-1)/count) {
		groups = append(groups, string(group))
	}
	return groups
}

// PasswordSpoken returns the activation password as a screen reader should read it:
// character by character, with a pause between the groups.
func (p Account) PasswordSpoken() string {
	groups := p.PasswordGroups()
	for i, group := range groups {
		groups[i] = strings.Join(strings.Split(group, ""), " ")
	}
	return strings.Join(groups, ", ")
}
