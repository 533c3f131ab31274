package authenticator

import (
	"crypto/sha256"
	"fmt"
	"slices"
)

// Get signs in with a credential of this authenticator: optionsJSON is a
// PublicKeyCredentialRequestOptionsJSON, the result an AuthenticationResponseJSON. The
// error is ErrNoCredential if it holds none of the allowed credentials or, if none is
// named, no discoverable one.
func (a *FIDO2) Get(optionsJSON string) (credentialJSON string, err error) {
	options, err := readRequestOptions(optionsJSON)
	if err != nil {
		return "", err
	}
	rpID, err := effectiveRPID(options.RPID, a.options.Origin)
	if err != nil {
		return "", err
	}
	if options.UserVerification == "required" && !a.options.UserVerifying {
		return "", fmt.Errorf("%w: user verification", ErrConstraint)
	}
	used, count, ok := a.vault.find(rpID, func(c *credential) bool {
		if len(options.Allow) == 0 {
			return c.discoverable
		}
		return named(options.Allow, c.id)
	})
	if !ok {
		return "", ErrNoCredential
	}
	response, err := a.assert(used, count, options)
	if err != nil {
		return "", err
	}
	return a.toJSON(used.id, map[string]any{}, response)
}

// assert makes the response of a sign-in, tampered with.
func (a *FIDO2) assert(c *credential, count uint32, o requestOptions) (assertionJSON, error) {
	clientData, err := a.clientData(TypeGet, o.Challenge)
	if err != nil {
		return assertionJSON{}, err
	}
	authData := a.authData(AuthData{
		RPID: c.rpID, Flags: FlagUserPresent | a.verified(o.UserVerification), SignCount: count,
	})
	hash := sha256.Sum256(clientData)
	signature, err := c.key.sign(slices.Concat(authData, hash[:]))
	if err != nil {
		return assertionJSON{}, fmt.Errorf("sign the assertion: %w", err)
	}
	response := assertionJSON{
		AuthenticatorData: authData, ClientDataJSON: clientData,
		Signature: changed(signature, a.tampered.Signature),
	}
	if c.discoverable {
		response.UserHandle = c.userHandle
	}
	return response, nil
}
