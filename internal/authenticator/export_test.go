package authenticator

import "crypto/x509"

// Root returns the root certificate of PackedBasic attestations.
func (a *FIDO2) Root() (*x509.Certificate, error) {
	issuer, err := a.vault.attestationIssuer(a.options.AAGUID)
	if err != nil {
		return nil, err
	}
	return issuer.root, nil
}
