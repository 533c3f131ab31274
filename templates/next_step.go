package templates

import (
	"net/url"
	"strings"

	"countersign/internal/fault"
)

// passwordPage redirects to the page that changes the password.
const passwordPage = "/.well-known/change-password" //nolint:gosec // an address, no password

// nextStep is a page's link that helps after an error.
type nextStep struct{ Label, Href string }

// NextStep returns the link for an error's action, or nil if the error's sentence has to
// suffice: we may not know who runs the account.
func (v View) NextStep(action fault.Action) *nextStep {
	switch action {
	case fault.ActionSignIn:
		return v.signIn(v.Here())
	case fault.ActionRetry, fault.ActionRestart:
		return &nextStep{v.T("page.retry"), v.Here()}
	case fault.ActionConfirm, fault.ActionOtherAuthenticator:
		return &nextStep{v.T("page.home.authenticators"), "/authenticators"}
	case fault.ActionVerify:
		if !v.HasVerifications() {
			return nil
		}
		return &nextStep{v.T("page.proofs.verify"), "/verifications/new?for=self"}
	case fault.ActionNewActivationPassword:
		return v.NewActivationPassword()
	case fault.ActionChangePassword:
		if v.pages.changePassword {
			return &nextStep{v.T("page.change-password"), passwordPage}
		}
		return v.Help()
	case fault.ActionContact:
		return v.Help()
	}
	return nil
}

// HelpNextStep returns the link on the page that explains an error. No request failed
// there, so it never offers another try.
func (v View) HelpNextStep(action fault.Action) *nextStep {
	switch action {
	case fault.ActionSignIn:
		return &nextStep{v.T("page.error.sign-in"), "/login"}
	case fault.ActionRetry, fault.ActionRestart:
		return nil
	}
	return v.NextStep(action)
}

// PackageAgain returns the link from a page below a package's to the package, whose state did
// not allow what was asked; nil elsewhere.
func (v View) PackageAgain() *nextStep {
	path, _, _ := strings.Cut(v.Here(), "?")
	below := strings.Split(path, "/")
	if len(below) < 4 || below[1] != "packages" || below[2] == "new" {
		return nil
	}
	return &nextStep{v.T("page.error.package"), strings.Join(below[:3], "/")}
}

// NoticeNextStep returns the link in a problem shown above its form. It does not repeat
// what the form itself offers.
func (v View) NoticeNextStep() *nextStep {
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

// Again returns the fields of the form to send again, if that can help.
func (v View) Again() map[string]string {
	if v.Problem == nil {
		return nil
	}
	switch v.Problem.Row.Action {
	case fault.ActionRetry, fault.ActionRestart:
		return v.Problem.Again
	}
	return nil
}

// SignInAgain returns the link to the sign-in and back, for the scripts.
func (v View) SignInAgain() *nextStep { return v.signIn(v.Here()) }

// ChangePassword returns the link to the change of the password, else to help with it, or
// nil if there is neither page.
func (v View) ChangePassword() *nextStep { return v.NextStep(fault.ActionChangePassword) }

// Help returns the link to the people who run the account, or nil if they have no page.
func (v View) Help() *nextStep { return v.help("page.help") }

// CannotSignIn returns the Help link with the sign-in page's label.
func (v View) CannotSignIn() *nextStep { return v.help("page.login.help") }

func (v View) help(label string) *nextStep {
	if v.pages.helpURL == "" {
		return nil
	}
	return &nextStep{v.T(label), v.pages.helpURL}
}

// signIn returns the link to the sign-in that continues to next. A signed-in person has
// to prove their identity again, however recent their sign-in is.
func (v View) signIn(next string) *nextStep {
	to := url.Values{"next": {next}}
	if v.Person == nil {
		return &nextStep{v.T("page.error.sign-in"), "/login?" + to.Encode()}
	}
	to.Set("again", "yes")
	return &nextStep{v.T("page.sign-in-again"), "/login?" + to.Encode()}
}

// activationPath is the page where people get an activation password for their phone app.
const activationPath = "/account#phone"

// ActivationSignIn leads there through the sign-in, which people who signed in a short
// time ago do not see.
const ActivationSignIn = "/login?next=%2Faccount%23phone"

// NewActivationPassword returns the link there, through the sign-in if nobody is signed
// in.
func (v View) NewActivationPassword() *nextStep {
	if v.Person == nil {
		return &nextStep{v.T("page.activation.get"), ActivationSignIn}
	}
	return &nextStep{v.T("page.activation.get"), activationPath}
}
