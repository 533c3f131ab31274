package browser_test

import (
	"github.com/chromedp/cdproto/webauthn"
)

// plugIn gives the tab an authenticator like a phone's built-in one: it keeps passkeys
// and verifies its user, who always consents.
func (b *tab) plugIn() *tab {
	b.t.Helper()
	return b.plugInto(webauthn.AuthenticatorTransportInternal)
}

// plugInto gives the tab one more authenticator, which is used from now on: a built-in one, or
// a security key at another transport.
func (b *tab) plugInto(transport webauthn.AuthenticatorTransport) *tab {
	b.t.Helper()
	call(b, webauthn.Enable, webauthn.EnableParams{})
	b.key = call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol:                    webauthn.AuthenticatorProtocolCtap2,
		Transport:                   transport,
		HasResidentKey:              true,
		HasUserVerification:         true,
		IsUserVerified:              true,
		AutomaticPresenceSimulation: true,
	}}).AuthenticatorID
	return b
}

// present sets whether the user touches the authenticator.
func (b *tab) present(yes bool) {
	b.t.Helper()
	call(b, webauthn.SetAutomaticPresenceSimulation, webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: b.key, Enabled: yes})
}

// recognised sets whether the authenticator recognizes its user.
func (b *tab) recognised(yes bool) {
	b.t.Helper()
	call(b, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: b.key, IsUserVerified: yes})
}

// passkeys returns the number of the authenticator's passkeys.
func (b *tab) passkeys() int {
	b.t.Helper()
	return len(call(b, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: b.key}).Credentials)
}
