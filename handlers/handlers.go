// Package handlers is what the routes mean, one file per flow. A handler
// decodes, calls and answers: func(*gin.Context) error. What goes wrong is
// returned as a row of the catalogue and answered in web.
//
// It does not know Redis, HTTP clients or any status but that of success.
package handlers

// Handlers are all flows and pages, for the routes.
type Handlers struct {
	Registration   Registration
	SignIn         SignIn
	Session        Session
	Account        Account
	Authenticators Authenticators
	Transactions   Transactions
	Activation     Activation
	WellKnown      WellKnown
	Callbacks      Callbacks

	Verifications      Verifications
	VerificationEvents VerificationEvents

	// The forms of a page do what the JSON calls do, by the same code; where a form
	// fails, its page is shown again with the reason.
	HomePage           HomePage
	SignInPage         SignInPage
	AuthenticatorsPage AuthenticatorsPage
	AccountPage        AccountPage

	NewPackagePage NewPackagePage
	RecipientPage  RecipientPage

	VerificationsPage   VerificationsPage
	NewVerificationPage NewVerificationPage
	VerificationPage    VerificationPage

	Packages         Packages
	PackagesPage     PackagesPage
	PackagePage      PackagePage
	PackageEvents    PackageEvents
	CustomFieldsPage CustomFieldsPage
}
