package identity

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// ceremonyTimeout is how long a FIDO2 request may be answered; its options say
// so in milliseconds.
const ceremonyTimeout = 3 * time.Minute

// fido2Server is the FIDO2 engine: WebAuthn Level 2 and 3 as go-webauthn judges
// them, on the platform's clock, each request answered once.
type fido2Server struct {
	now           func() time.Time
	relyingParty  *webauthn.WebAuthn
	registrations *expiring[ceremony]
	signIns       *expiring[ceremony]
}

// ceremony is a request under way. Its expiry is kept outside the session data,
// which go-webauthn would compare with the real clock.
type ceremony struct {
	user    string
	session webauthn.SessionData
}

func newFIDO2(o Options) (*fido2Server, error) {
	timeout := webauthn.TimeoutConfig{Timeout: ceremonyTimeout, TimeoutUVD: ceremonyTimeout}
	relyingParty, err := webauthn.New(&webauthn.Config{
		RPID:          o.RPID,
		RPDisplayName: "Countersign sandbox",
		// Origins of apps are compared as plain strings here. (RPOpaqueOrigins
		// would restrict how many web origins may stand beside them.)
		RPOrigins: o.RPOrigins,
		Timeouts:  webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
		// What a client volunteers is no reason to refuse it.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("sandbox: FIDO2 server: %w", err)
	}
	if err := protocol.ValidateRPID(o.RPID); err != nil {
		return nil, fmt.Errorf("sandbox: FIDO2 server: RP ID %q: %w", o.RPID, err)
	}
	return &fido2Server{
		now:           o.Now,
		relyingParty:  relyingParty,
		registrations: newExpiring[ceremony](ceremonyTimeout),
		signIns:       newExpiring[ceremony](ceremonyTimeout),
	}, nil
}

func (f *fido2Server) reset() {
	f.registrations.clear()
	f.signIns.clear()
}

// take spends the person's ceremony of that id, whatever comes of it. Another
// person's stays where it is.
func (f *fido2Server) take(from *expiring[ceremony], requestID string, p account) (webauthn.SessionData, bool) {
	c, ok := from.take(requestID, f.now(), func(c ceremony) bool { return c.user == p.ID })
	return c.session, ok
}

// WebAuthnID and the methods below show an account to go-webauthn.
func (a account) WebAuthnID() []byte { return a.handle }

// WebAuthnName is userID@domain.
func (a account) WebAuthnName() string { return a.ID }

// WebAuthnDisplayName is what the person is called.
func (a account) WebAuthnDisplayName() string { return a.DisplayName }

// WebAuthnCredentials are the person's passkeys.
func (a account) WebAuthnCredentials() []webauthn.Credential {
	var credentials []webauthn.Credential
	for _, r := range a.ofProtocol(fido2) {
		credentials = append(credentials, r.credential)
	}
	return credentials
}

// reason is go-webauthn's account of a failure, the detail for developers
// included: for the sandbox's log.
func reason(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) && e.DevInfo != "" {
		return fmt.Errorf("%w: %s", err, e.DevInfo)
	}
	return err
}
