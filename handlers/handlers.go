// Package handlers implements the routes, one file per flow. A handler decodes, calls and
// answers: func(*gin.Context) error. An error is returned as a fault and answered in web.
//
// It does not know Redis, HTTP clients or any status but those of success.
package handlers

import (
	"slices"

	"countersign/handlers/identity"
	"countersign/handlers/page"
	"countersign/handlers/people"
	"countersign/handlers/portal"
	"countersign/handlers/verify"
)

// Handlers holds all flows and pages, for the routes.
type Handlers struct {
	Registration   identity.Registration
	SignIn         identity.SignIn
	Session        identity.Session
	Binding        identity.Binding
	Mails          people.Mails
	Account        people.Account
	Authenticators people.Authenticators
	Accepted       people.AcceptedPasskeys
	Transactions   identity.Transactions
	Activation     identity.Activation
	WellKnown      identity.WellKnown
	Callbacks      Callbacks

	// The forms of a page do what the JSON calls do, by the same code; if a form fails,
	// its page is shown again with the reason.
	HomePage           HomePage
	SignInPage         identity.SignInPage
	AuthenticatorsPage people.AuthenticatorsPage
	AccountPage        people.AccountPage
	PeoplePage         people.PeoplePage
	Verifications      verify.Verifications
	Packages           portal.Packages
}

// Pages returns the addresses of all pages but those of PeoplePage, which are JSON calls too.
func (h Handlers) Pages() []page.Route {
	return slices.Concat(
		h.HomePage.Routes(),
		h.SignInPage.Routes(),
		h.AuthenticatorsPage.Routes(),
		h.AccountPage.Routes(),
		h.Verifications.Routes(),
		h.Packages.Routes(),
	)
}
