package uafserver

import (
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"countersign/internal/uaf"
)

// Statement is the part of a FIDO metadata statement that the server uses, in the
// protocol's own numbers.
type Statement struct {
	AAID             uaf.AAID
	Description      string
	MinVersion       uint32 // of the authenticator
	Versions         []uaf.Version
	AssertionScheme  string
	Algorithms       []uaf.SignatureAlgorithm
	KeyFormats       []uaf.KeyFormat
	AttestationTypes []uaf.Tag
	// Roots are the trust anchors of BASIC_FULL attestation; a model without any attests
	// with BASIC_SURROGATE.
	Roots []*x509.Certificate
}

// Metadata holds the statements of the models that the server trusts, in the order of
// the documents.
type Metadata struct{ Statements []*Statement }

// ParseMetadata parses documents, each of them a JSON array of metadata statements,
// version 2 (numbers) or 3 (names). Statements without an aaid, of authenticators that
// are not UAF's, are skipped; two of one AAID are refused.
func ParseMetadata(documents ...[]byte) (*Metadata, error) {
	set := new(Metadata)
	for _, document := range documents {
		var wires []statementWire
		if err := json.Unmarshal(document, &wires); err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
		for i, wire := range wires {
			if wire.AAID == "" {
				continue
			}
			statement, err := wire.statement()
			if err != nil {
				return nil, fmt.Errorf("metadata: statement %d: %w", i, err)
			}
			if _, twice := set.Lookup(statement.AAID); twice {
				return nil, fmt.Errorf("metadata: a second statement for AAID %s", statement.AAID)
			}
			set.Statements = append(set.Statements, statement)
		}
	}
	return set, nil
}

// Lookup returns the statement of a model, with aaid in any case.
func (m *Metadata) Lookup(aaid uaf.AAID) (*Statement, bool) {
	i := slices.IndexFunc(m.Statements, func(s *Statement) bool { return s.AAID.Equal(aaid) })
	if i < 0 {
		return nil, false
	}
	return m.Statements[i], true
}

// supports reports whether the model supports a version; a model that names none supports
// any.
func (s *Statement) supports(version uaf.Version) bool {
	return len(s.Versions) == 0 || slices.Contains(s.Versions, version)
}

// statementWire has the spellings of both versions side by side.
type statementWire struct {
	AAID                 string        `json:"aaid"`
	Description          string        `json:"description"`
	AuthenticatorVersion uint32        `json:"authenticatorVersion"`
	Versions             []uaf.Version `json:"upv"`
	AssertionScheme      string        `json:"assertionScheme"`
	Algorithm            codes         `json:"authenticationAlgorithm"`
	Algorithms           codes         `json:"authenticationAlgorithms"`
	KeyFormat            codes         `json:"publicKeyAlgAndEncoding"`
	KeyFormats           codes         `json:"publicKeyAlgAndEncodings"`
	AttestationTypes     codes         `json:"attestationTypes"`
	Roots                []string      `json:"attestationRootCertificates"`
}

func (w statementWire) statement() (*Statement, error) {
	aaid, err := uaf.ParseAAID(w.AAID)
	if err != nil {
		return nil, err
	}
	statement := &Statement{
		AAID: aaid, Description: w.Description, Versions: w.Versions,
		MinVersion: w.AuthenticatorVersion, AssertionScheme: w.AssertionScheme,
	}
	if statement.AssertionScheme == "" {
		statement.AssertionScheme = uaf.SchemeTLV // version 3 has dropped the member
	}
	if statement.Algorithms, err = numbers[uaf.SignatureAlgorithm](algorithmNames, w.Algorithm, w.Algorithms); err != nil {
		return nil, err
	}
	if statement.KeyFormats, err = numbers[uaf.KeyFormat](keyFormatNames, w.KeyFormat, w.KeyFormats); err != nil {
		return nil, err
	}
	if statement.AttestationTypes, err = numbers[uaf.Tag](attestationNames, w.AttestationTypes); err != nil {
		return nil, err
	}
	if len(statement.Algorithms) == 0 || len(statement.KeyFormats) == 0 {
		return nil, fmt.Errorf("AAID %s: no authentication algorithm or no key format", aaid)
	}
	statement.Roots, err = rootCertificates(w.Roots)
	return statement, err
}

// rootCertificates decodes base64 DER, in which statements may have line breaks.
func rootCertificates(texts []string) ([]*x509.Certificate, error) {
	var roots []*x509.Certificate
	for i, text := range texts {
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return nil, fmt.Errorf("root certificate %d: %w", i, err)
		}
		certificate, err := parseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("root certificate %d: %w", i, err)
		}
		roots = append(roots, certificate)
	}
	return roots, nil
}
