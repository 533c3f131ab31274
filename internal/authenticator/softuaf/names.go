package softuaf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"countersign/internal/uaf"
)

// The names of the FIDO registry, as in metadata statements of version 3.
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

// Algorithms returns all supported algorithms, in the registry's order.
func Algorithms() []uaf.SignatureAlgorithm { return slices.Sorted(maps.Keys(algorithmNames)) }

// AlgorithmName returns the algorithm's name in the FIDO registry.
func AlgorithmName(a uaf.SignatureAlgorithm) string { return algorithmNames[a] }

// ParseAlgorithm returns the algorithm of a name.
func ParseAlgorithm(name string) (uaf.SignatureAlgorithm, error) {
	return parseName(algorithmNames, name)
}

// KeyFormatName returns the key format's name in the FIDO registry.
func KeyFormatName(f uaf.KeyFormat) string { return keyFormatNames[f] }

// ParseKeyFormat returns the key format of a name.
func ParseKeyFormat(name string) (uaf.KeyFormat, error) { return parseName(keyFormatNames, name) }

// parseName returns the value of a name; the error lists the known names.
func parseName[T ~uint16](names map[T]string, wanted string) (T, error) {
	for value, name := range names {
		if name == wanted {
			return value, nil
		}
	}
	known := make([]string, 0, len(names))
	for _, value := range slices.Sorted(maps.Keys(names)) {
		known = append(known, names[value])
	}
	return 0, fmt.Errorf("softuaf: %q must be one of %s", wanted, strings.Join(known, ", "))
}
