package softuaf

import (
	"encoding/base64"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/uaf"
)

// The demo models: one with surrogate attestation, whose metadata the sandbox has, and
// one with full attestation, whose root is made at its first use.
const (
	DemoAAID     = uaf.AAID("5B0C#0001")
	AttestedAAID = uaf.AAID("5B0C#0002")
	// DemoVersion is the version of both.
	DemoVersion = 1
)

// Model is a metadata statement's description of an authenticator model.
type Model struct {
	AAID        uaf.AAID
	Description string
	Version     uint16
	Algorithms  []uaf.SignatureAlgorithm // of keys and attestations
	KeyFormats  []uaf.KeyFormat
	Attestation uaf.Tag
	// Root is the trust anchor of full attestation.
	Root *Authority
}

// DemoModel returns the model of [DemoAAID] or, with a root, of [AttestedAAID]: every
// algorithm and every key format.
func DemoModel(root *Authority) Model {
	m := Model{
		AAID: DemoAAID, Description: "Countersign demo authenticator", Version: DemoVersion, Algorithms: Algorithms(),
		KeyFormats: slices.Sorted(maps.Keys(keyFormatNames)), Attestation: uaf.TagAttestationSurrogate,
	}
	if root != nil {
		m.AAID, m.Attestation, m.Root = AttestedAAID, uaf.TagAttestationFull, root
		m.Description = "Countersign demo authenticator with attestation"
	}
	return m
}

// Metadata returns an array of the models' metadata statements, version 3.
func Metadata(models ...Model) ([]byte, error) {
	statements := make([]map[string]any, len(models))
	for i, m := range models {
		statements[i] = m.statement()
	}
	return json.Marshal(statements, json.Deterministic(true))
}

// Metadata returns the authenticator's metadata statement, alone in an array. It lists
// all algorithms of Options for keys and attestations; edit, if not nil, changes the
// statement before it is written.
func (a *Authenticator) Metadata(edit func(map[string]any)) ([]byte, error) {
	m := Model{
		AAID: a.Options.AAID, Description: "Software authenticator", Version: a.Options.Version,
		Algorithms: []uaf.SignatureAlgorithm{a.Options.Algorithm}, KeyFormats: []uaf.KeyFormat{a.Options.KeyFormat},
		Attestation: a.Options.Attestation, Root: a.root,
	}
	if other := a.Options.AttestationAlgorithm; other != a.Options.Algorithm {
		m.Algorithms = append(m.Algorithms, other)
	}
	statement := m.statement()
	if edit != nil {
		edit(statement)
	}
	return json.Marshal([]any{statement}, json.Deterministic(true))
}

func (m Model) statement() map[string]any {
	algorithms, formats, roots := []string{}, []string{}, []string{}
	for _, algorithm := range m.Algorithms {
		algorithms = append(algorithms, AlgorithmName(algorithm))
	}
	for _, format := range m.KeyFormats {
		formats = append(formats, KeyFormatName(format))
	}
	if m.Root != nil {
		roots = append(roots, base64.StdEncoding.EncodeToString(m.Root.DER))
	}
	return map[string]any{
		"description":                 m.Description,
		"aaid":                        m.AAID,
		"protocolFamily":              "uaf",
		"schema":                      3,
		"authenticatorVersion":        m.Version,
		"upv":                         []uaf.Version{uaf.ProtocolVersion()},
		"authenticationAlgorithms":    algorithms,
		"publicKeyAlgAndEncodings":    formats,
		"attestationTypes":            []string{attestationNames[m.Attestation]},
		"userVerificationDetails":     [][]map[string]any{{{"userVerificationMethod": "fingerprint_internal"}}},
		"keyProtection":               []string{"software"},
		"matcherProtection":           []string{"software"},
		"attachmentHint":              []string{"internal"},
		"tcDisplay":                   []string{"any"},
		"tcDisplayContentType":        uaf.ContentPlainText,
		"attestationRootCertificates": roots,
	}
}
