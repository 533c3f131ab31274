package uaf

// SignatureAlgorithm is an algorithm with its encoding (UAF registry, section
// on authentication algorithms).
type SignatureAlgorithm uint16

// The algorithms that this package verifies. All hash with SHA-256.
const (
	AlgorithmP256Raw      SignatureAlgorithm = 1 // r | s, 32 bytes each
	AlgorithmP256DER      SignatureAlgorithm = 2 // SEQUENCE{r, s}
	AlgorithmPSSRaw       SignatureAlgorithm = 3
	AlgorithmPSSDER       SignatureAlgorithm = 4 // in an OCTET STRING
	AlgorithmSecp256k1Raw SignatureAlgorithm = 5
	AlgorithmSecp256k1DER SignatureAlgorithm = 6
	AlgorithmPKCS1Raw     SignatureAlgorithm = 8
	AlgorithmPKCS1DER     SignatureAlgorithm = 9 // in an OCTET STRING
)

// KeyFormat is the representation of a public key (UAF registry, section on
// public key representation formats).
type KeyFormat uint16

// The key formats that this package reads.
const (
	KeyECRaw  KeyFormat = 0x100 // uncompressed X9.62 point, 65 bytes
	KeyECDER  KeyFormat = 0x101 // SubjectPublicKeyInfo
	KeyRSARaw KeyFormat = 0x102 // n, 256 bytes, then e
	KeyRSADER KeyFormat = 0x103 // SEQUENCE{n, e}, or a SubjectPublicKeyInfo
)
