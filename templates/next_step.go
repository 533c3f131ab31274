package templates

import (
	"net/url"

	"countersign/internal/fault"
)

// passwordPage is where people are led on to the page that changes it.
const passwordPage = "/.well-known/change-password" //nolint:gosec // an address, no password

// NextStep is what a page offers to do about an error: a link, in words.
type NextStep struct{ Label, Href string }

// NextStep is the next step after an error, by what its row says can be done; nil where
// the sentence has to do: who runs the account is not known to us.
func (v view) NextStep(action fault.Action) *NextStep {
	switch action {
	case fault.ActionSignIn:
		return v.signIn(v.Here())
	case fault.ActionRetry, fault.ActionRestart:
		return &NextStep{v.T("page.retry"), v.Here()}
	case fault.ActionConfirm, fault.ActionOtherAuthenticator:
		return &NextStep{v.T("page.home.authenticators"), "/authenticators"}
	case fault.ActionNewActivationPassword:
		return v.NewActivationPassword()
	case fault.ActionChangePassword:
		if v.pages.changePassword {
			return &NextStep{v.T("page.change-password"), passwordPage}
		}
		return v.Help()
	case fault.ActionContact:
		return v.Help()
	}
	return nil
}

// HelpNextStep is the next step after the page that explains an error. Nothing happened
// there, so there is nothing to try again.
func (v view) HelpNextStep(action fault.Action) *NextStep {
	switch action {
	case fault.ActionSignIn:
		return &NextStep{v.T("page.error.sign-in"), "/login"}
	case fault.ActionRetry, fault.ActionRestart:
		return nil
	}
	return v.NextStep(action)
}

// NoticeNextStep is the next step after a problem that is shown above its form. What
// the form itself can do is not offered twice.
func (v view) NoticeNextStep() *NextStep {
	if v.Problem == nil {
		return nil
	}
	switch action := v.Problem.Row.Action; action {
	case fault.ActionSignIn:
		if v.At("/login") {
			return nil
		}
		return v.NextStep(action)
	case fault.ActionRetry, fault.ActionRestart, fault.ActionConfirm:
		return nil
	case fault.ActionOtherAuthenticator:
		if v.At("/authenticators") {
			return nil
		}
		return v.NextStep(action)
	case fault.ActionNewActivationPassword:
		if v.At("/account") {
			return nil
		}
		return v.NextStep(action)
	default:
		return v.NextStep(action)
	}
}

// Again are the fields of the form to be sent once more, where that can help.
func (v view) Again() map[string]string {
	if v.Problem == nil {
		return nil
	}
	switch v.Problem.Row.Action {
	case fault.ActionRetry, fault.ActionRestart:
		return v.Problem.Again
	}
	return nil
}

// SignInAgain leads to the sign-in and back, for the scripts.
func (v view) SignInAgain() *NextStep { return v.signIn(v.Here()) }

// ChangePassword leads to where the password is changed, else to where one is
// helped; nil where there is neither page.
func (v view) ChangePassword() *NextStep { return v.NextStep(fault.ActionChangePassword) }

// Help leads to the people who run the account; nil where they have no page.
func (v view) Help() *NextStep { return v.help("page.help") }

// CannotSignIn is Help, as the sign-in page offers it.
func (v view) CannotSignIn() *NextStep { return v.help("page.login.help") }

func (v view) help(label string) *NextStep {
	if v.pages.helpURL == "" {
		return nil
	}
	return &NextStep{v.T(label), v.pages.helpURL}
}

// signIn leads to the sign-in and on to next. Somebody signed in has to prove
// once more who they are, however short ago they did.
func (v view) signIn(next string) *NextStep {
	to := url.Values{"next": {next}}
	if v.Person == nil {
		return &NextStep{v.T("page.error.sign-in"), "/login?" + to.Encode()}
	}
	to.Set("again", "yes")
	return &NextStep{v.T("page.sign-in-again"), "/login?" + to.Encode()}
}
