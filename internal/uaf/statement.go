package uaf

import (
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"strings"
)

// statementWire has the spellings of both versions side by side.
type statementWire struct {
	AAID                 string     `json:"aaid"`
	Description          string     `json:"description"`
	AuthenticatorVersion uint32     `json:"authenticatorVersion"`
	Versions             []Version  `json:"upv"`
	AssertionScheme      string     `json:"assertionScheme"`
	Algorithm            codes      `json:"authenticationAlgorithm"`
	Algorithms           codes      `json:"authenticationAlgorithms"`
	KeyFormat            codes      `json:"publicKeyAlgAndEncoding"`
	KeyFormats           codes      `json:"publicKeyAlgAndEncodings"`
	AttestationTypes     codes      `json:"attestationTypes"`
	Roots                []string   `json:"attestationRootCertificates"`
	Verification         [][]method `json:"userVerificationDetails"`
	KeyProtection        codes      `json:"keyProtection"`
	MatcherProtection    codes      `json:"matcherProtection"`
	AttachmentHint       codes      `json:"attachmentHint"`
	TCDisplay            codes      `json:"tcDisplay"`
}

// method is one user verification method: a number in version 2, a name in another member
// in version 3.
type method struct {
	Number codes `json:"userVerification"`
	Name   codes `json:"userVerificationMethod"`
}

func (w statementWire) statement() (*Statement, error) {
	aaid, err := parseAAID(w.AAID)
	if err != nil {
		return nil, err
	}
	statement := &Statement{
		AAID: aaid, Description: w.Description, Versions: w.Versions,
		AuthenticatorVersion: w.AuthenticatorVersion, AssertionScheme: w.AssertionScheme,
	}
	if statement.AssertionScheme == "" {
		statement.AssertionScheme = SchemeTLV // version 3 has dropped the member
	}
	err = first(
		listed(&statement.Algorithms, algorithmNames, w.Algorithm, w.Algorithms),
		listed(&statement.KeyFormats, keyFormatNames, w.KeyFormat, w.KeyFormats),
		listed(&statement.AttestationTypes, attestationNames, w.AttestationTypes),
		flagged(&statement.KeyProtection, keyProtectionNames, w.KeyProtection),
		flagged(&statement.MatcherProtection, matcherProtectionNames, w.MatcherProtection),
		flagged(&statement.AttachmentHint, attachmentNames, w.AttachmentHint),
		flagged(&statement.TCDisplay, displayNames, w.TCDisplay),
		verification(&statement.UserVerification, w.Verification),
		rootCertificates(&statement.Roots, w.Roots),
	)
	if err == nil && (len(statement.Algorithms) == 0 || len(statement.KeyFormats) == 0) {
		err = fmt.Errorf("AAID %s: no authentication algorithm or no key format", aaid)
	}
	return statement, err
}

// verification folds the details, alternatives of combined methods, into flags:
// alternatives of one method each are joined, and so are the methods of a single
// alternative, of which all are needed then. Flags cannot express a mixture; then any of
// the methods suffices.
func verification(to *uint32, alternatives [][]method) error {
	for _, alternative := range alternatives {
		for _, m := range alternative {
			var flags uint32
			if err := flagged(&flags, verificationNames, append(m.Number, m.Name...)); err != nil {
				return err
			}
			*to |= flags
		}
	}
	if len(alternatives) == 1 && len(alternatives[0]) > 1 {
		*to |= userVerifyAll
	}
	return nil
}

// rootCertificates decodes base64 DER, in which statements may have line breaks.
func rootCertificates(to *[]*x509.Certificate, texts []string) error {
	for i, text := range texts {
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return fmt.Errorf("root certificate %d: %w", i, err)
		}
		certificate, err := parseCertificate(der)
		if err != nil {
			return fmt.Errorf("root certificate %d: %w", i, err)
		}
		*to = append(*to, certificate)
	}
	return nil
}
