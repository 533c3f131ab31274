package authenticator

import (
	"fmt"
	"slices"
)

// attestationObject returns the attestation object of a registration, tampered with: fmt
// none unless the relying party asked for attestation (Web Authentication section 5.1.3)
// and this authenticator gives it.
func (a *FIDO2) attestationObject(k *key, conveyance string, authData, clientDataHash []byte) (map[string]any, error) {
	format, statement := "none", map[string]any{}
	if a.options.Attestation != None && conveyance != "" && conveyance != "none" {
		var err error
		if statement, err = a.packed(k, slices.Concat(authData, clientDataHash)); err != nil {
			return nil, fmt.Errorf("attest: %w", err)
		}
		format = "packed"
	}
	object := map[string]any{"fmt": format, "attStmt": statement, "authData": authData}
	if change := a.tampered.Attestation; change != nil {
		change(object)
	}
	return object, nil
}

// packed returns an attestation statement of section 8.2.
func (a *FIDO2) packed(k *key, message []byte) (map[string]any, error) {
	switch a.options.Attestation {
	case Packed:
		signature, err := k.sign(message)
		return map[string]any{"alg": k.alg, "sig": signature}, err
	case PackedBasic:
		issuer, err := a.vault.attestationIssuer(a.options.AAGUID)
		if err != nil {
			return nil, err
		}
		signature, err := issuer.key.sign(message)
		return map[string]any{"alg": issuer.key.alg, "sig": signature, "x5c": [][]byte{issuer.leaf.Raw}}, err
	}
	return nil, fmt.Errorf("%w: attestation %q", ErrNotSupported, a.options.Attestation)
}
