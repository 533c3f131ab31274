package identity

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// ceremonyTimeout limits how long a FIDO2 request may be answered; its options give the
// time in milliseconds.
const ceremonyTimeout = 3 * time.Minute

// fido2Server is the FIDO2 engine: WebAuthn Level 2 and 3 as implemented by go-webauthn,
// on the platform's clock, with each request answered once.
type fido2Server struct {
	now           func() time.Time
	relyingParty  *webauthn.WebAuthn
	registrations *expiring[ceremony]
	signIns       *expiring[ceremony]
	// conditional has registrations accepted that nobody was present at.
	conditional atomic.Bool
}

// ceremony is a request under way. The session data has no expiry, because
// go-webauthn would compare it with the real clock.
type ceremony struct {
	user    string
	session webauthn.SessionData
}

func newFIDO2(o Options) (*fido2Server, error) {
	timeout := webauthn.TimeoutConfig{Timeout: ceremonyTimeout, TimeoutUVD: ceremonyTimeout}
	relyingParty, err := webauthn.New(&webauthn.Config{
		RPID:          o.RPID,
		RPDisplayName: "Countersign sandbox",
		// RPOrigins compares the origins of apps as strings; RPOpaqueOrigins would limit
		// the number of web origins besides them.
		RPOrigins: o.RPOrigins,
		Timeouts:  webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
		// A client may answer extensions that were not requested.
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

// take spends the person's ceremony of that id, but not another person's.
func (f *fido2Server) take(from *expiring[ceremony], requestID string, a account) (webauthn.SessionData, bool) {
	c, ok := from.take(requestID, f.now(), func(c ceremony) bool { return c.user == a.ID })
	return c.session, ok
}

// WebAuthnID and the methods below implement go-webauthn's User.
func (a account) WebAuthnID() []byte { return a.handle }

// WebAuthnName returns userID@domain.
func (a account) WebAuthnName() string { return a.ID }

// WebAuthnDisplayName returns the person's display name.
func (a account) WebAuthnDisplayName() string { return a.DisplayName }

// WebAuthnCredentials returns the person's passkeys.
func (a account) WebAuthnCredentials() []webauthn.Credential {
	var credentials []webauthn.Credential
	for _, r := range a.ofProtocol(fido2) {
		credentials = append(credentials, r.credential)
	}
	return credentials
}

// reason returns err with go-webauthn's detail for developers, for the log.
func reason(err error) error {
	var e *protocol.Error
	if errors.As(err, &e) && e.DevInfo != "" {
		return fmt.Errorf("%w: %s", err, e.DevInfo)
	}
	return err
}
