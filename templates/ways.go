package templates

import (
	"net/url"

	"countersign/internal/fault"
)

// passwordPage is where people are led on to the page that changes it.
const passwordPage = "/.well-known/change-password" //nolint:gosec // an address, no password

// Way is what a page offers to do about an error: a link, in words.
type Way struct{ Label, Href string }

// WayOn is the way on from an error, by what its row says can be done; nil where
// the sentence has to do: who runs the account is not known to us.
func (v view) WayOn(action fault.Action) *Way {
	switch action {
	case fault.ActionSignIn:
		return v.signIn(v.Here())
	case fault.ActionRetry, fault.ActionRestart:
		return &Way{v.T("page.retry"), v.Here()}
	case fault.ActionConfirm, fault.ActionOtherAuthenticator:
		return &Way{v.T("page.home.authenticators"), "/authenticators"}
	case fault.ActionNewActivationPassword:
		return v.NewActivationPassword()
	case fault.ActionChangePassword:
		if v.pages.changePassword {
			return &Way{v.T("page.change-password"), passwordPage}
		}
	}
	return nil
}

// HelpWayOn is the way on from the page that explains an error. Nothing happened
// there, so there is nothing to try again.
func (v view) HelpWayOn(action fault.Action) *Way {
	switch action {
	case fault.ActionSignIn:
		return &Way{v.T("page.error.sign-in"), "/login"}
	case fault.ActionRetry, fault.ActionRestart:
		return nil
	}
	return v.WayOn(action)
}

// NoticeWayOn is the way on from a problem that is shown above its form. What
// the form itself can do is not offered twice.
func (v view) NoticeWayOn() *Way {
	if v.Problem == nil {
		return nil
	}
	switch action := fault.Lookup(v.Problem.Key).Action; action {
	case fault.ActionSignIn:
		if v.At("/login") {
			return nil
		}
		return v.WayOn(action)
	case fault.ActionRetry, fault.ActionRestart, fault.ActionConfirm:
		return nil
	case fault.ActionOtherAuthenticator:
		if v.At("/authenticators") {
			return nil
		}
		return v.WayOn(action)
	case fault.ActionNewActivationPassword:
		if v.At("/account") {
			return nil
		}
		return v.WayOn(action)
	default:
		return v.WayOn(action)
	}
}

// Again are the fields of the form to be sent once more, where that can help.
func (v view) Again() map[string]string {
	if v.Problem == nil {
		return nil
	}
	switch fault.Lookup(v.Problem.Key).Action {
	case fault.ActionRetry, fault.ActionRestart:
		return v.Problem.Again
	}
	return nil
}

// SignInAgain leads to the sign-in and back, for the scripts.
func (v view) SignInAgain() *Way { return v.signIn(v.Here()) }

// ChangePassword leads to where the password is changed; nil where there is no
// such page.
func (v view) ChangePassword() *Way { return v.WayOn(fault.ActionChangePassword) }

// signIn leads to the sign-in and on to next. Somebody signed in has to prove
// once more who they are, however short ago they did.
func (v view) signIn(next string) *Way {
	to := url.Values{"next": {next}}
	if v.Person == nil {
		return &Way{v.T("page.error.sign-in"), "/login?" + to.Encode()}
	}
	to.Set("again", "yes")
	return &Way{v.T("page.sign-in-again"), "/login?" + to.Encode()}
}
