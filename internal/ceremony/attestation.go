package ceremony

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"github.com/go-webauthn/webauthn/protocol"
)

// strict decodes CBOR as CTAP2 writes it: nothing of indefinite length, no tags, no
// duplicate keys at any depth. go-webauthn decodes straight into structs, and so accepts
// null, arrays of numbers and names in another case for other types; decoding into any
// first shows each item's real type. The limits are far above what authenticators make.
var strict = func() cbor.DecMode {
	mode, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		IntDec: cbor.IntDecConvertSignedOrBigInt, MaxNestedLevels: 8, MaxArrayElements: 1024, MaxMapPairs: 1024,
	}.DecMode()
	if err != nil {
		panic(err) // cannot happen: the options are constants
	}
	return mode
}()

// readAttestationObject returns the authData of an attestation object (Web
// Authentication section 6.5.4).
func readAttestationObject(text []byte) ([]byte, error) {
	if text == nil {
		return nil, errors.New("credential: no attestationObject")
	}
	var item any
	if err := strict.Unmarshal(text, &item); err != nil {
		return nil, fmt.Errorf("attestation object: %w", err)
	}
	object, ok := item.(map[any]any)
	if !ok {
		return nil, errors.New("attestation object: not a map")
	}
	format, ok := object["fmt"].(string)
	if !ok || format == "" {
		return nil, errors.New("attestation object: fmt is not a text")
	}
	if !isStatement(format, object["attStmt"]) {
		return nil, errors.New("attestation object: attStmt is not a map")
	}
	authData, ok := object["authData"].([]byte)
	if !ok {
		return nil, errors.New("attestation object: authData is not a byte string")
	}
	return authData, nil
}

// isStatement reports whether statement has the shape of its format: a map, for
// compound alone an array (Web Authentication level 3, section 8.9).
func isStatement(format string, statement any) bool {
	if protocol.AttestationFormat(format) == protocol.AttestationFormatCompound {
		_, ok := statement.([]any)
		return ok
	}
	_, ok := statement.(map[any]any)
	return ok
}

// readAuthenticatorData accounts for every byte of authenticator data (Web
// Authentication section 6.1), which its flags lay out.
func readAuthenticatorData(raw []byte) (data protocol.AuthenticatorData, err error) {
	if err := data.Unmarshal(raw); err != nil {
		return data, fmt.Errorf("authenticator data: %w", err)
	}
	if data.Flags.HasExtensions() {
		var item any
		if err := strict.Unmarshal(data.ExtData, &item); err != nil {
			return data, fmt.Errorf("authenticator data: extensions: %w", err)
		}
		if _, ok := item.(map[any]any); !ok {
			return data, errors.New("authenticator data: the extensions are not a map")
		}
	}
	return data, nil
}

// readNewCredential reads authenticator data that must attest a credential.
func readNewCredential(raw []byte) (protocol.AuthenticatorData, error) {
	data, err := readAuthenticatorData(raw)
	switch {
	case err != nil:
		return data, err
	case !data.Flags.HasAttestedCredentialData():
		return data, errors.New("authenticator data: no attested credential data")
	case len(data.AttData.CredentialID) == 0:
		return data, errors.New("authenticator data: a credential ID of no bytes")
	}
	if err := checkCOSEKey(data.AttData.CredentialPublicKey); err != nil {
		return data, fmt.Errorf("authenticator data: public key: %w", err)
	}
	return data, nil
}
