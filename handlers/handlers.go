// Package handlers implements the routes, one file per flow. A handler decodes, calls and
// answers: func(*gin.Context) error. An error is returned as a fault and answered in web.
//
// It does not know Redis, HTTP clients or any status but those of success.
package handlers

import (
	"countersign/handlers/identity"
	"countersign/handlers/people"
	"countersign/handlers/portal"
	"countersign/handlers/verify"
)

// Handlers holds all flows and pages, for the routes.
type Handlers struct {
	Registration   identity.Registration
	SignIn         identity.SignIn
	Session        identity.Session
	Mails          people.Mails
	Account        people.Account
	Authenticators people.Authenticators
	Accepted       people.AcceptedPasskeys
	Transactions   identity.Transactions
	Activation     identity.Activation
	WellKnown      identity.WellKnown
	Callbacks      Callbacks

	Verifications      verify.Verifications
	VerificationEvents verify.VerificationEvents

	// The forms of a page do what the JSON calls do, by the same code; if a form fails,
	// its page is shown again with the reason.
	HomePage           HomePage
	SignInPage         identity.SignInPage
	AuthenticatorsPage people.AuthenticatorsPage
	AccountPage        people.AccountPage
	PeoplePage         people.PeoplePage

	NewPackagePage portal.NewPackagePage
	RecipientPage  portal.RecipientPage

	VerificationsPage   verify.VerificationsPage
	NewVerificationPage verify.NewVerificationPage
	VerificationPage    verify.VerificationPage

	Packages           portal.Packages
	PackagesPage       portal.PackagesPage
	DeletePackagesPage portal.DeletePackagesPage
	PackagePage        portal.PackagePage
	SigningPage        portal.SigningPage
	PackageEvents      portal.PackageEvents
	DocumentPages      portal.DocumentPages
	DocumentHits       portal.DocumentHits
	CustomFieldsPage   portal.CustomFieldsPage
}
