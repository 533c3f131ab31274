package uaf

import "fmt"

// Tag names a TLV element (UAF registry, section on TAGs). Bit 0x1000 marks a composite,
// whose value is a sequence of elements, and bit 0x2000 one that must be understood.
type Tag uint16

// The tags of an assertion.
const (
	TagRegistrationAssertion   Tag = 0x3E01
	TagAuthenticationAssertion Tag = 0x3E02
	TagKRD                     Tag = 0x3E03
	TagSignedData              Tag = 0x3E04
	TagAttestationCert         Tag = 0x2E05
	TagSignature               Tag = 0x2E06
	TagAttestationFull         Tag = 0x3E07
	TagAttestationSurrogate    Tag = 0x3E08
	TagAttestationECDAA        Tag = 0x3E09
	TagKeyID                   Tag = 0x2E09
	TagFinalChallengeHash      Tag = 0x2E0A
	TagAAID                    Tag = 0x2E0B
	TagPublicKey               Tag = 0x2E0C
	TagCounters                Tag = 0x2E0D
	TagAssertionInfo           Tag = 0x2E0E
	TagAuthenticatorNonce      Tag = 0x2E0F
	TagTransactionContentHash  Tag = 0x2E10
	TagCriticalExtension       Tag = 0x3E11
	TagExtension               Tag = 0x3E12
	TagExtensionID             Tag = 0x2E13
	TagExtensionData           Tag = 0x2E14
)

// criticalBit marks an element that is refused if it is unknown.
const criticalBit Tag = 0x2000

var tagNames = map[Tag]string{
	TagRegistrationAssertion:   "REG_ASSERTION",
	TagAuthenticationAssertion: "AUTH_ASSERTION",
	TagKRD:                     "KRD",
	TagSignedData:              "SIGNED_DATA",
	TagAttestationCert:         "ATTESTATION_CERT",
	TagSignature:               "SIGNATURE",
	TagAttestationFull:         "ATTESTATION_BASIC_FULL",
	TagAttestationSurrogate:    "ATTESTATION_BASIC_SURROGATE",
	TagAttestationECDAA:        "ATTESTATION_ECDAA",
	TagKeyID:                   "KEYID",
	TagFinalChallengeHash:      "FINAL_CHALLENGE_HASH",
	TagAAID:                    "AAID",
	TagPublicKey:               "PUB_KEY",
	TagCounters:                "COUNTERS",
	TagAssertionInfo:           "ASSERTION_INFO",
	TagAuthenticatorNonce:      "AUTHENTICATOR_NONCE",
	TagTransactionContentHash:  "TRANSACTION_CONTENT_HASH",
	TagCriticalExtension:       "EXTENSION (critical)",
	TagExtension:               "EXTENSION",
	TagExtensionID:             "EXTENSION_ID",
	TagExtensionData:           "EXTENSION_DATA",
}

// String returns the tag's name in the registry, or its number.
func (t Tag) String() string {
	if name, ok := tagNames[t]; ok {
		return name
	}
	return fmt.Sprintf("tag 0x%04X", uint16(t))
}
