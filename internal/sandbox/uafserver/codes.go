package uafserver

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The names of the FIDO registry of predefined values, 2.1. They include algorithms that
// this package does not verify, so that a statement may list them.
var (
	algorithmNames = map[string]uint16{
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
	keyFormatNames = map[string]uint16{
		"ecc_x962_raw": 0x100, "ecc_x962_der": 0x101, "rsa_2048_raw": 0x102, "rsa_2048_der": 0x103, "cose": 0x104,
		"rsa_2048_pss_raw": 0x102, "rsa_2048_pss_der": 0x103, // the registry's earlier names
	}
	attestationNames = map[string]uint16{
		"basic_full": 0x3E07, "basic_surrogate": 0x3E08, "ecdaa": 0x3E09, "attca": 0x3E0A, "none": 0x3E0B, "anonca": 0x3E0C,
	}
)

// prefixes begin the constants of version 2, in this order: version 2 has
// ALG_KEY_ECC_X962_RAW where version 3 has ecc_x962_raw.
var prefixes = []string{"uaf_", "tag_", "alg_sign_", "alg_key_", "attestation_"}

// codes is a member of a metadata statement that may be a number, a name, or an array of
// either. Null is an empty list.
type codes []code

type code struct {
	name   string
	number uint16
}

var errCode = errors.New("neither a number nor a name")

// UnmarshalJSONFrom reads any of the spellings.
func (c *codes) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case jsontext.KindBeginArray, jsontext.KindNull:
		return json.UnmarshalDecode(dec, (*[]code)(c))
	}
	*c = make(codes, 1)
	return json.UnmarshalDecode(dec, &(*c)[0])
}

// UnmarshalJSONFrom reads a number or a name.
func (c *code) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case jsontext.KindNumber:
		return json.UnmarshalDecode(dec, &c.number)
	case jsontext.KindString:
		return json.UnmarshalDecode(dec, &c.name)
	}
	return errCode
}

// numbers resolves the codes of members, each once.
func numbers[T ~uint16](names map[string]uint16, members ...codes) ([]T, error) {
	var out []T
	for _, c := range slices.Concat(members...) {
		number, err := c.resolve(names)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, T(number)) {
			out = append(out, T(number))
		}
	}
	return out, nil
}

// resolve returns a code's number: its own, that of its name or constant in the registry, or
// its name's digits.
func (c code) resolve(names map[string]uint16) (uint16, error) {
	if c.name == "" {
		return c.number, nil
	}
	name := strings.ToLower(c.name)
	for _, prefix := range prefixes {
		name = strings.TrimPrefix(name, prefix)
	}
	if number, known := names[name]; known {
		return number, nil
	}
	number, err := strconv.ParseUint(name, 0, 16)
	if err != nil {
		return 0, fmt.Errorf("%.64q is not in the registry", c.name)
	}
	return uint16(number), nil
}
