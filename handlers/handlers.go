// Package handlers is what the routes mean, one file per flow. A handler
// decodes, calls and answers: func(*gin.Context) error. What goes wrong is
// returned as a row of the catalogue and answered in web.
//
// It does not know Redis, HTTP clients or any status but that of success.
package handlers

import (
	"countersign/handlers/identity"
	"countersign/handlers/people"
	"countersign/handlers/portal"
	"countersign/handlers/verify"
)

// Handlers are all flows and pages, for the routes.
type Handlers struct {
	Registration   identity.Registration
	SignIn         identity.SignIn
	Session        identity.Session
	Account        people.Account
	Authenticators people.Authenticators
	Transactions   identity.Transactions
	Activation     identity.Activation
	WellKnown      identity.WellKnown
	Callbacks      Callbacks

	Verifications      verify.Verifications
	VerificationEvents verify.VerificationEvents

	// The forms of a page do what the JSON calls do, by the same code; where a form
	// fails, its page is shown again with the reason.
	HomePage           HomePage
	SignInPage         identity.SignInPage
	AuthenticatorsPage people.AuthenticatorsPage
	AccountPage        people.AccountPage

	NewPackagePage portal.NewPackagePage
	RecipientPage  portal.RecipientPage

	VerificationsPage   verify.VerificationsPage
	NewVerificationPage verify.NewVerificationPage
	VerificationPage    verify.VerificationPage

	Packages         portal.Packages
	PackagesPage     portal.PackagesPage
	PackagePage      portal.PackagePage
	PackageEvents    portal.PackageEvents
	CustomFieldsPage portal.CustomFieldsPage
}
