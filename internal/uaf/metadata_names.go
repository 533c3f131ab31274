package uaf

// registryPrefixes are the prefixes of version 2's constants before the names of version
// 3, in their order.
var registryPrefixes = []string{
	"uaf_", "tag_", "alg_sign_", "alg_key_", "attestation_", "user_verify_", "key_protection_",
	"matcher_protection_", "attachment_hint_", "transaction_confirmation_display_",
}

// The names of the FIDO registry of predefined values, 2.1. It includes algorithms that
// this package does not verify, so that a statement may list them.
var (
	algorithmNames = map[string]uint32{
		"secp256r1_ecdsa_sha256_raw": 1, "secp256r1_ecdsa_sha256_der": 2,
		"rsassa_pss_sha256_raw": 3, "rsassa_pss_sha256_der": 4,
		"secp256k1_ecdsa_sha256_raw": 5, "secp256k1_ecdsa_sha256_der": 6,
		"sm2_sm3_raw":               7,
		"rsa_emsa_pkcs1_sha256_raw": 8, "rsa_emsa_pkcs1_sha256_der": 9,
		"rsassa_pss_sha384_raw": 10, "rsassa_pss_sha512_raw": 11,
		"rsassa_pkcsv15_sha256_raw": 12, "rsassa_pkcsv15_sha384_raw": 13,
		"rsassa_pkcsv15_sha512_raw": 14, "rsassa_pkcsv15_sha1_raw": 15,
		"secp384r1_ecdsa_sha384_raw": 16, "secp521r1_ecdsa_sha512_raw": 17,
		"ed25519_eddsa_sha512_raw": 18, "ed448_eddsa_sha512_raw": 19,
	}
	keyFormatNames = map[string]uint32{
		"ecc_x962_raw": 0x100, "ecc_x962_der": 0x101,
		"rsa_2048_raw": 0x102, "rsa_2048_der": 0x103,
		"rsa_2048_pss_raw": 0x102, "rsa_2048_pss_der": 0x103, // the registry's earlier names
		"cose": 0x104,
	}
	attestationNames = map[string]uint32{
		"basic_full": 0x3E07, "basic_surrogate": 0x3E08, "ecdaa": 0x3E09,
		"attca": 0x3E0A, "anonca": 0x3E0C, "none": 0x3E0B,
	}
	verificationNames = map[string]uint32{
		"presence_internal": 0x1, "fingerprint_internal": 0x2, "passcode_internal": 0x4,
		"voiceprint_internal": 0x8, "faceprint_internal": 0x10, "location_internal": 0x20,
		"eyeprint_internal": 0x40, "pattern_internal": 0x80, "handprint_internal": 0x100,
		"none": 0x200, "all": userVerifyAll, "passcode_external": 0x800, "pattern_external": 0x1000,
		// The registry's earlier names.
		"presence": 0x1, "fingerprint": 0x2, "passcode": 0x4, "voiceprint": 0x8, "faceprint": 0x10,
		"location": 0x20, "eyeprint": 0x40, "pattern": 0x80, "handprint": 0x100,
	}
	keyProtectionNames = map[string]uint32{
		"software": 1, "hardware": 2, "tee": 4, "secure_element": 8, "remote_handle": 16,
	}
	matcherProtectionNames = map[string]uint32{"software": 1, "tee": 2, "on_chip": 4}
	attachmentNames        = map[string]uint32{
		"internal": 0x1, "external": 0x2, "wired": 0x4, "wireless": 0x8, "nfc": 0x10,
		"bluetooth": 0x20, "network": 0x40, "ready": 0x80, "wifi_direct": 0x100,
	}
	displayNames = map[string]uint32{
		"any": 1, "privileged_software": 2, "tee": 4, "hardware": 8, "remote": 16,
	}
)
