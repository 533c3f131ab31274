package templates

import (
	"slices"
	"strings"
)

// activationPath is where people get an activation password for their phone app.
const activationPath = "/account#phone"

// ActivationSignIn leads there by the sign-in, which nobody sees who signed in a
// short time ago.
const ActivationSignIn = "/login?next=%2Faccount%23phone"

// NewActivationPassword leads there, by the sign-in where nobody is signed in.
func (v view) NewActivationPassword() *NextStep {
	if v.Person == nil {
		return &NextStep{v.T("page.activation.get"), ActivationSignIn}
	}
	return &NextStep{v.T("page.activation.get"), activationPath}
}

// SignInPath leads to signing in once more, and back to the phone app.
func (p Account) SignInPath() string { return ActivationSignIn }

// readable is how many characters somebody carries over at one look.
const readable = 5

// PasswordGroups is the activation password in groups of like length, which are
// easier to type off than the whole.
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

// PasswordSpoken is the activation password as a screen reader is to read it:
// character by character, with a pause between the groups.
func (p Account) PasswordSpoken() string {
	groups := p.PasswordGroups()
	for i, group := range groups {
		groups[i] = strings.Join(strings.Split(group, ""), " ")
	}
	return strings.Join(groups, ", ")
}
