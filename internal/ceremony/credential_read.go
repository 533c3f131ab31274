package ceremony

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/google/uuid"
)

func readCredential[R any](text []byte) (c credential[R], err error) {
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("credential: %w", err)
	}
	switch {
	case c.Type != string(protocol.PublicKeyCredentialType):
		return c, errors.New("credential: its type is not public-key")
	case c.ID == nil || c.RawID == nil:
		return c, errors.New("credential: no id or no rawId")
	case !bytes.Equal(c.ID, c.RawID):
		return c, errors.New("credential: id and rawId differ")
	}
	return c, nil
}

func readAttestation(text []byte) (*Response, error) {
	c, err := readCredential[attestationResponse](text)
	if err != nil {
		return nil, err
	}
	client, err := readClientData(c.Response.ClientDataJSON)
	if err != nil {
		return nil, err
	}
	raw, err := readAttestationObject(c.Response.AttestationObject)
	if err != nil {
		return nil, err
	}
	data, err := readNewCredential(raw)
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(data.AttData.CredentialID, c.RawID):
		return nil, errors.New("attestation object: it attests another credential ID")
	case isAnother(c.Response.AuthenticatorData, raw):
		return nil, errors.New("credential: authenticatorData is not that of the attestation object")
	}
	r := newFIDO2Response(client, data)
	r.Made = &MadeCredential{
		AAGUID:         uuid.UUID(data.AttData.AAGUID).String(),
		BackupEligible: data.Flags.HasBackupEligible(), BackedUp: data.Flags.HasBackupState(),
	}
	return r, nil
}

// isAnother reports whether copied can be read as authenticator data, and is not raw.
func isAnother(copied, raw []byte) bool {
	_, err := readAuthenticatorData(copied)
	return err == nil && !bytes.Equal(copied, raw)
}

func readAssertion(text []byte) (*Response, error) {
	c, err := readCredential[assertionResponse](text)
	if err != nil {
		return nil, err
	}
	client, err := readClientData(c.Response.ClientDataJSON)
	if err != nil {
		return nil, err
	}
	data, err := readAuthenticatorData(c.Response.AuthenticatorData)
	switch {
	case err != nil:
		return nil, err
	case data.Flags.HasAttestedCredentialData():
		return nil, errors.New("authenticator data: an assertion attests no credential")
	case c.Response.Signature == nil:
		return nil, errors.New("credential: no signature")
	}
	r := newFIDO2Response(client, data)
	if len(c.Response.UserHandle) <= maxUserHandle { // a longer one is none
		r.UserHandle = c.Response.UserHandle
	}
	return r, nil
}

func newFIDO2Response(client clientData, data protocol.AuthenticatorData) *Response {
	return &Response{
		Protocol: FIDO2, Challenge: client.Challenge,
		inner: fido2Response{client: client, rpIDHash: data.RPIDHash},
	}
}
