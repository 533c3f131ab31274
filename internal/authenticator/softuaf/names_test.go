package softuaf_test

import (
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

func TestNames_RoundTrip(t *testing.T) {
	for _, algorithm := range softuaf.Algorithms() {
		if back, err := softuaf.ParseAlgorithm(softuaf.AlgorithmName(algorithm)); err != nil || back != algorithm {
			t.Errorf("algorithm %d: %d (%v)", algorithm, back, err)
		}
	}
	for _, format := range []uaf.KeyFormat{uaf.KeyECRaw, uaf.KeyECDER, uaf.KeyRSARaw, uaf.KeyRSADER} {
		if back, err := softuaf.ParseKeyFormat(softuaf.KeyFormatName(format)); err != nil || back != format {
			t.Errorf("format %#x: %#x (%v)", format, back, err)
		}
	}
	_, err := softuaf.ParseAlgorithm("ES256")
	if err == nil || !strings.Contains(err.Error(), "secp256r1_ecdsa_sha256_raw, secp256r1_ecdsa_sha256_der, rsassa_pss") {
		t.Errorf("an unknown name: %v", err)
	}
}

// The printed metadata can be parsed, and belong to the signing models.
func TestDemoModels_MetadataParses(t *testing.T) {
	root, err := softuaf.NewRoot(uaf.AlgorithmP256DER, softuaf.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	document, err := softuaf.Metadata(softuaf.DemoModel(nil), softuaf.DemoModel(root))
	if err != nil {
		t.Fatal(err)
	}
	set, err := uafserver.ParseMetadata(document)
	if err != nil {
		t.Fatal(err)
	}
	for aaid, roots := range map[uaf.AAID]int{softuaf.DemoAAID: 0, softuaf.AttestedAAID: 1} {
		statement, ok := set.Lookup(aaid)
		if !ok || len(statement.Algorithms) != 8 || len(statement.KeyFormats) != 4 || len(statement.Roots) != roots ||
			statement.MinVersion != softuaf.DemoVersion {
			t.Errorf("%s: %+v", aaid, statement)
		}
	}
}
