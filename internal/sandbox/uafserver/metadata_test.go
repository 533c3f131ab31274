package uafserver_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

// The same model in version 2 and version 3 of the statement.
const (
	statementV2 = `{
		"aaid": "ABCD#12ef", "description": "A phone", "authenticatorVersion": 3, "assertionScheme": "UAFV1TLV",
		"upv": [{"major": 1, "minor": 0}, {"major": 1, "minor": 1}],
		"authenticationAlgorithm": 1, "authenticationAlgorithms": [1, 8], "publicKeyAlgAndEncoding": 256,
		"attestationTypes": [15879], "attestationRootCertificates": [],
		"userVerificationDetails": [[{"userVerification": 2, "baDesc": {"maxTemplates": 5}}], [{"userVerification": 4}]],
		"keyProtection": 6, "matcherProtection": 2, "attachmentHint": 1, "tcDisplay": 5,
		"isSecondFactorOnly": false, "cryptoStrength": 128, "icon": null}`
	statementV3 = `{
		"aaid": "ABCD#12ef", "description": "A phone", "authenticatorVersion": 3, "protocolFamily": "uaf", "schema": 3,
		"upv": [{"major": 1, "minor": 0}, {"major": 1, "minor": 1}],
		"authenticationAlgorithms": ["secp256r1_ecdsa_sha256_raw", "rsa_emsa_pkcs1_sha256_raw"],
		"publicKeyAlgAndEncodings": ["ecc_x962_raw"],
		"attestationTypes": ["basic_full"], "attestationRootCertificates": [],
		"userVerificationDetails": [[{"userVerificationMethod": "fingerprint_internal"}], [{"userVerificationMethod": "passcode_internal"}]],
		"keyProtection": ["hardware", "tee"], "matcherProtection": ["tee"], "attachmentHint": ["internal"],
		"tcDisplay": ["any", "tee"]}`
	statementConstants = `{
		"aaid": "ABCD#12ef", "description": "A phone", "authenticatorVersion": 3,
		"upv": [{"major": 1, "minor": 0}, {"major": 1, "minor": 1}],
		"authenticationAlgorithm": "ALG_SIGN_SECP256R1_ECDSA_SHA256_RAW", "authenticationAlgorithms": "UAF_ALG_SIGN_RSA_EMSA_PKCS1_SHA256_RAW",
		"publicKeyAlgAndEncodings": "ALG_KEY_ECC_X962_RAW", "attestationTypes": ["TAG_ATTESTATION_BASIC_FULL", "0x3E07"]}`
)

func TestStatement_Spellings(t *testing.T) {
	want := &uafserver.Statement{
		AAID: "ABCD#12ef", Description: "A phone", MinVersion: 3, AssertionScheme: uaf.SchemeTLV,
		Versions:   []uaf.Version{{Major: 1, Minor: 0}, {Major: 1, Minor: 1}},
		Algorithms: []uaf.SignatureAlgorithm{1, 8}, KeyFormats: []uaf.KeyFormat{uaf.KeyECRaw},
		AttestationTypes: []uaf.Tag{uaf.TagAttestationFull},
	}
	for name, text := range map[string]string{"v2": statementV2, "v3": statementV3, "constants": statementConstants} {
		t.Run(name, func(t *testing.T) {
			set, err := uafserver.ParseMetadata([]byte("[" + text + "]"))
			if err != nil {
				t.Fatal(err)
			}
			got, ok := set.Lookup("aBcD#12EF")
			if !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func decoded(t testing.TB, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// edited returns an array with the statement of version 3, changed.
func edited(t testing.TB, edit func(map[string]any)) string {
	t.Helper()
	statement := decoded(t, statementV3).(map[string]any)
	edit(statement)
	data, err := json.Marshal([]any{statement})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestMetadata_Refused(t *testing.T) {
	cases := []struct{ name, document, want string }{
		{"not JSON", "statement", "metadata"},
		{"no array", statementV3, "metadata"},
		{"two of one model", "[" + statementV3 + "," + strings.Replace(statementV2, "ABCD#12ef", "abcd#12EF", 1) + "]", "second statement"},
		{"a duplicate member", strings.Replace("["+statementV3+"]", `"schema"`, `"aaid":"ABCD#12ef","schema"`, 1), "duplicate"},
		{"an AAID that is none", edited(t, put("aaid", "ABCD")), "statement 0"},
		{"no algorithm", edited(t, put("authenticationAlgorithms", []int{})), "ABCD#12ef"},
		{"no key format", edited(t, put("publicKeyAlgAndEncodings", nil)), "ABCD#12ef"},
		{"an unknown algorithm", edited(t, put("authenticationAlgorithms", []string{"rot13"})), "rot13"},
		{"an algorithm too large", edited(t, put("authenticationAlgorithms", []int{65536})), "authenticationAlgorithms"},
		{"an algorithm that is an object", edited(t, put("authenticationAlgorithms", map[string]any{})), "authenticationAlgorithms"},
		{"a negative version", edited(t, put("authenticatorVersion", -1)), "authenticatorVersion"},
		{"a root that is no base64", edited(t, put("attestationRootCertificates", []string{"%"})), "root certificate 0"},
		{"a root that is no certificate", edited(t, put("attestationRootCertificates", []string{"AAAA"})), "root certificate 0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := uafserver.ParseMetadata([]byte(c.document))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want something of %q", err, c.want)
			}
		})
	}
}

func TestMetadata_OtherProtocolsSkipped(t *testing.T) {
	fido2 := `{"aaguid": "00000000-0000-0000-0000-000000000000", "protocolFamily": "fido2", "authenticationAlgorithms": ["rot13"]}`
	u2f := `{"attestationCertificateKeyIdentifiers": ["00"], "protocolFamily": "u2f"}`
	set, err := uafserver.ParseMetadata([]byte("["+fido2+","+statementV3+"]"), []byte("["+u2f+"]"), []byte("[]"))
	if err != nil || len(set.Statements) != 1 {
		t.Errorf("%v, %v", set, err)
	}
}

func TestMetadata_RootsWithLineBreaks(t *testing.T) {
	root := rootText(t)
	broken := root[:64] + "\r\n  " + root[64:] + "\n"
	set, err := uafserver.ParseMetadata([]byte(edited(t, put("attestationRootCertificates", []string{broken}))))
	if err != nil || len(set.Statements[0].Roots) != 1 {
		t.Errorf("%v, %v", set, err)
	}
}

func TestMetadata_RootOnSecp256k1(t *testing.T) {
	root, err := softuaf.NewRoot(uaf.AlgorithmSecp256k1DER, softuaf.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	set, err := uafserver.ParseMetadata([]byte(edited(t, put("attestationRootCertificates", []string{encodeDER(root.DER)}))))
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Statements[0].Roots[0]; !slices.Equal(got.Raw, root.DER) || got.Subject.CommonName != "Attestation root" {
		t.Errorf("root %v", got.Subject)
	}
	for at := range root.DER {
		broken := slices.Clone(root.DER)
		broken[at] ^= 0x10
		document := edited(t, put("attestationRootCertificates", []string{encodeDER(broken)}))
		if set, err := uafserver.ParseMetadata([]byte(document)); err == nil && slices.Equal(set.Statements[0].Roots[0].Raw, root.DER) {
			t.Fatalf("byte %d changed is not seen", at)
		}
	}
}

func TestRegistrationPolicy_AcceptedAndDisallowed(t *testing.T) {
	statement := `{"aaid":"%s","authenticationAlgorithms":[1],"publicKeyAlgAndEncodings":[256],"upv":[{"major":1,"minor":%d}]}`
	metadata, err := uafserver.ParseMetadata([]byte("[" + fmt.Sprintf(statement, "0000#0001", 1) + "," + fmt.Sprintf(statement, "0000#0002", 0) + "]"))
	if err != nil {
		t.Fatal(err)
	}
	key := uaf.KeyReference{AAID: "0000#0001", KeyID: make([]byte, 32)}
	policy := uafserver.RegistrationPolicy(metadata, []uaf.KeyReference{key})
	if len(policy.Accepted) != 1 || policy.Accepted[0][0].AAIDs[0] != "0000#0001" {
		t.Errorf("accepted %v: a model without version 1.1 is asked for", policy.Accepted)
	}
	if policy.Allows(uaf.AuthenticatorInfo{AAID: "0000#0001", KeyIDs: [][]byte{key.KeyID}}) {
		t.Error("a registered key can register again")
	}
}
