package browser_test

import (
	"github.com/chromedp/cdproto/webauthn"
)

// plugIn gives the tab an authenticator, like the one that is built into a
// phone: it keeps passkeys and knows its owner, who is always willing.
func (b *tab) plugIn() *tab {
	b.t.Helper()
	call(b, webauthn.Enable, webauthn.EnableParams{})
	b.key = call(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol:                    webauthn.AuthenticatorProtocolCtap2,
		Transport:                   webauthn.AuthenticatorTransportInternal,
		HasResidentKey:              true,
		HasUserVerification:         true,
		IsUserVerified:              true,
		AutomaticPresenceSimulation: true,
	}}).AuthenticatorID
	return b
}

// present says whether the owner touches the authenticator when asked.
func (b *tab) present(yes bool) {
	b.t.Helper()
	call(b, webauthn.SetAutomaticPresenceSimulation, webauthn.SetAutomaticPresenceSimulationParams{AuthenticatorID: b.key, Enabled: yes})
}

// recognised says whether the authenticator knows who touches it.
func (b *tab) recognised(yes bool) {
	b.t.Helper()
	call(b, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: b.key, IsUserVerified: yes})
}

// passkeys is how many the authenticator keeps.
func (b *tab) passkeys() int {
	b.t.Helper()
	return len(call(b, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: b.key}).Credentials)
}
