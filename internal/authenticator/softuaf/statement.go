package softuaf

import (
	"encoding/base64"

	"github.com/go-json-experiment/json"

	"countersign/internal/uaf"
)

// Metadata is the authenticator's metadata statement, alone in an array, as
// version 3 spells it. Keys and attestations may be of any algorithm of
// Options; edit, if not nil, changes the statement before it is written.
func (a *Authenticator) Metadata(edit func(map[string]any)) ([]byte, error) {
	algorithms := []string{algorithmNames[a.Options.Algorithm]}
	if other := a.Options.AttestationAlgorithm; other != a.Options.Algorithm {
		algorithms = append(algorithms, algorithmNames[other])
	}
	roots := []string{}
	if a.root != nil {
		roots = append(roots, base64.StdEncoding.EncodeToString(a.root.DER))
	}
	statement := map[string]any{
		"description":                 "Software authenticator",
		"aaid":                        a.Options.AAID,
		"protocolFamily":              "uaf",
		"schema":                      3,
		"authenticatorVersion":        a.Options.Version,
		"upv":                         []uaf.Version{uaf.ProtocolVersion},
		"authenticationAlgorithms":    algorithms,
		"publicKeyAlgAndEncodings":    []string{keyFormatNames[a.Options.KeyFormat]},
		"attestationTypes":            []string{attestationNames[a.Options.Attestation]},
		"userVerificationDetails":     [][]map[string]any{{{"userVerificationMethod": "fingerprint_internal"}}},
		"keyProtection":               []string{"software"},
		"matcherProtection":           []string{"software"},
		"attachmentHint":              []string{"internal"},
		"tcDisplay":                   []string{"any"},
		"tcDisplayContentType":        uaf.ContentPlainText,
		"attestationRootCertificates": roots,
	}
	if edit != nil {
		edit(statement)
	}
	return json.Marshal([]any{statement}, json.Deterministic(true))
}

var (
	algorithmNames = map[uaf.SignatureAlgorithm]string{
		uaf.AlgorithmP256Raw:      "secp256r1_ecdsa_sha256_raw",
		uaf.AlgorithmP256DER:      "secp256r1_ecdsa_sha256_der",
		uaf.AlgorithmPSSRaw:       "rsassa_pss_sha256_raw",
		uaf.AlgorithmPSSDER:       "rsassa_pss_sha256_der",
		uaf.AlgorithmSecp256k1Raw: "secp256k1_ecdsa_sha256_raw",
		uaf.AlgorithmSecp256k1DER: "secp256k1_ecdsa_sha256_der",
		uaf.AlgorithmPKCS1Raw:     "rsa_emsa_pkcs1_sha256_raw",
		uaf.AlgorithmPKCS1DER:     "rsa_emsa_pkcs1_sha256_der",
	}
	keyFormatNames = map[uaf.KeyFormat]string{
		uaf.KeyECRaw: "ecc_x962_raw", uaf.KeyECDER: "ecc_x962_der",
		uaf.KeyRSARaw: "rsa_2048_raw", uaf.KeyRSADER: "rsa_2048_der",
	}
	attestationNames = map[uaf.Tag]string{
		uaf.TagAttestationFull: "basic_full", uaf.TagAttestationSurrogate: "basic_surrogate",
	}
)
