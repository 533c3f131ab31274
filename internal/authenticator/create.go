package authenticator

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

const credentialIDLength = 32

// Create registers a credential: optionsJSON is a PublicKeyCredentialCreationOptionsJSON,
// the result a RegistrationResponseJSON. The error is ErrExcluded if the authenticator
// holds an excluded credential, or another error of this package if a browser would
// refuse.
func (a *FIDO2) Create(optionsJSON string) (credentialJSON string, err error) {
	options, err := readCreationOptions(optionsJSON)
	if err != nil {
		return "", err
	}
	rpID, err := effectiveRPID(options.RP.ID, a.options.Origin)
	if err != nil {
		return "", err
	}
	if err := a.accepts(options, rpID); err != nil {
		return "", err
	}
	made, err := a.newCredential(rpID, options)
	if err != nil {
		return "", err
	}
	response, err := a.attest(made, options)
	if err != nil {
		return "", err
	}
	extensions := map[string]any{}
	if options.Extensions.CredProps {
		extensions["credProps"] = map[string]any{"rk": made.discoverable}
	}
	text, err := a.toJSON(made.id, extensions, response)
	if err != nil {
		return "", err
	}
	a.vault.add(made)
	return text, nil
}

// accepts refuses requests that this authenticator must not or cannot fulfil.
func (a *FIDO2) accepts(o creationOptions, rpID string) error {
	alg, known := algorithms[a.options.Algorithm]
	offered := slices.ContainsFunc(o.PubKeyCredParams, func(p parameter) bool {
		return p.Type == publicKeyType && p.Alg == int64(alg)
	})
	wanted := o.Selection.Attachment
	resident := o.Selection.RequireResidentKey || o.Selection.ResidentKey == "required"
	switch {
	case !known || !offered:
		return fmt.Errorf("%w: %s", ErrNotSupported, a.options.Algorithm)
	case wanted != "" && wanted != a.attachment():
		return fmt.Errorf("%w: attachment %q", ErrConstraint, wanted)
	case resident && !a.options.Discoverable:
		return fmt.Errorf("%w: a discoverable credential", ErrConstraint)
	case o.Selection.UserVerification == "required" && !a.options.UserVerifying:
		return fmt.Errorf("%w: user verification", ErrConstraint)
	case a.vault.holds(rpID, o.Exclude):
		return ErrExcluded
	}
	return nil
}

func (a *FIDO2) newCredential(rpID string, o creationOptions) (*credential, error) {
	k, err := newKey(a.options.Algorithm)
	if err != nil {
		return nil, err
	}
	id := make([]byte, credentialIDLength)
	if _, err := rand.Read(id); err != nil {
		return nil, fmt.Errorf("make a credential ID: %w", err)
	}
	return &credential{
		id: id, rpID: rpID, userHandle: o.User.ID, key: k,
		discoverable: a.options.Discoverable && o.Selection.ResidentKey != "discouraged",
	}, nil
}

// attest makes the response of a registration, tampered with.
func (a *FIDO2) attest(c *credential, o creationOptions) (attestationJSON, error) {
	clientData, err := a.clientData(TypeCreate, o.Challenge)
	if err != nil {
		return attestationJSON{}, err
	}
	authData := a.authData(AuthData{
		RPID:     c.rpID,
		Flags:    FlagUserPresent | FlagAttested | a.verified(o.Selection.UserVerification),
		Attested: &AttestedCredential{AAGUID: a.options.AAGUID, ID: c.id, PublicKey: c.key.cose},
	})
	hash := sha256.Sum256(clientData)
	object, err := a.attestationObject(c.key, o.Attestation, authData, hash[:])
	if err != nil {
		return attestationJSON{}, err
	}
	encoded, err := webauthncbor.Marshal(object)
	if err != nil {
		return attestationJSON{}, fmt.Errorf("encode the attestation object: %w", err)
	}
	spki, err := c.key.spki()
	if err != nil {
		return attestationJSON{}, fmt.Errorf("encode the public key: %w", err)
	}
	return attestationJSON{
		AttestationObject: changed(encoded, a.tampered.AttestationObject),
		AuthenticatorData: authData, ClientDataJSON: clientData,
		PublicKey: spki, PublicKeyAlgorithm: c.key.alg, Transports: a.transports(),
	}, nil
}

// authData encodes d, tampered with.
func (a *FIDO2) authData(d AuthData) []byte {
	if a.options.Synced {
		d.Flags |= FlagBackupEligible | FlagBackedUp
	}
	if change := a.tampered.AuthData; change != nil {
		change(&d)
	}
	return changed(d.encode(), a.tampered.AuthDataBytes)
}

// verified returns the UV flag for the request's userVerification.
func (a *FIDO2) verified(requirement string) byte {
	if a.options.UserVerifying && requirement != "discouraged" {
		return FlagUserVerified
	}
	return 0
}
