package uaf

import (
	"crypto/x509"
	"fmt"
	"slices"
)

// Statement is the content of a FIDO metadata statement of a UAF authenticator model, in
// the protocol's own numbers, however they were spelled.
type Statement struct {
	AAID                 AAID
	Description          string
	AuthenticatorVersion uint32 // the lowest accepted
	Versions             []Version
	AssertionScheme      string
	Algorithms           []SignatureAlgorithm
	KeyFormats           []KeyFormat
	AttestationTypes     []Tag
	UserVerification     uint32
	KeyProtection        uint16
	MatcherProtection    uint16
	AttachmentHint       uint32
	TCDisplay            uint16
	// Roots are the trust anchors of BASIC_FULL attestation; a model without
	// any attests with BASIC_SURROGATE.
	Roots []*x509.Certificate

	chains chainCache
}

// MetadataSet holds the statements of the models that a server knows.
type MetadataSet struct {
	statements []*Statement
	byAAID     map[AAID]*Statement
}

// ParseMetadata parses documents, each of them a JSON array of metadata statements,
// version 2 (numbers) or 3 (names). Statements without an aaid, of authenticators that
// are not UAF's, are skipped; two of one AAID are refused.
func ParseMetadata(documents ...[]byte) (*MetadataSet, error) {
	set := &MetadataSet{byAAID: map[AAID]*Statement{}}
	for _, document := range documents {
		if len(document) > maxMetadata {
			return nil, fmt.Errorf("metadata: a document of %d bytes", len(document))
		}
		var wires []statementWire
		if err := decodeJSON("metadata", document, &wires); err != nil {
			return nil, err
		}
		for i, wire := range wires {
			if wire.AAID == "" {
				continue
			}
			if err := set.add(wire); err != nil {
				return nil, fmt.Errorf("metadata: statement %d: %w", i, err)
			}
		}
	}
	return set, nil
}

func (s *MetadataSet) add(wire statementWire) error {
	statement, err := wire.statement()
	if err != nil {
		return err
	}
	key := statement.AAID.Canonical()
	if _, twice := s.byAAID[key]; twice {
		return fmt.Errorf("a second statement for AAID %s", key)
	}
	s.byAAID[key] = statement
	s.statements = append(s.statements, statement)
	return nil
}

// Lookup returns the statement of a model, with aaid in any case.
func (s *MetadataSet) Lookup(aaid AAID) (*Statement, bool) {
	if s == nil {
		return nil, false
	}
	statement, ok := s.byAAID[aaid.Canonical()]
	return statement, ok
}

// Statements returns the statements in the order of the documents. They are shared and
// must not be changed.
func (s *MetadataSet) Statements() []*Statement {
	if s == nil {
		return nil
	}
	return s.statements
}

// supports reports whether the model supports a version; a model that names none supports
// any.
func (s *Statement) supports(version Version) bool {
	return len(s.Versions) == 0 || slices.Contains(s.Versions, version)
}

// info describes an authenticator of the model that holds one key.
func (s *Statement) info(version uint16, keyID []byte, attestation []Tag) AuthenticatorInfo {
	return AuthenticatorInfo{
		AAID:              s.AAID,
		Version:           uint32(version),
		KeyIDs:            [][]byte{keyID},
		UserVerification:  s.UserVerification,
		KeyProtection:     s.KeyProtection,
		MatcherProtection: s.MatcherProtection,
		AttachmentHint:    s.AttachmentHint,
		TCDisplay:         s.TCDisplay,
		Algorithms:        s.Algorithms,
		AssertionScheme:   s.AssertionScheme,
		AttestationTypes:  attestation,
	}
}
