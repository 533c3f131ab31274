package portal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/seal/sealtest"
	"countersign/internal/signing/proofs"
	"countersign/static"
	"countersign/templates"
)

// The printed page says of which kind each passkey is, in the reader's language, as the sealed
// entry has it: also an older one, which has no kind.
func TestPrintedPage_PasskeyKind(t *testing.T) {
	synced, bound, model := "synced", proofs.DeviceBound, "4e4e#4005"
	words := map[string][2]string{
		"en": {"Synced", "On this device only"}, "de": {"Synchronisiert", "Nur auf diesem Gerät"},
		"es": {"Sincronizada", "Solo en este dispositivo"}, "fr": {"Synchronisée", "Sur cet "},
		"ja": {"同期あり", "このデバイスのみ"},
	}
	pages := newPages(t)
	keeper := proofs.NewKeeper(sealtest.Keys(bytes.Repeat([]byte{1}, 32)))
	for name, c := range map[string]struct {
		passkey proofs.Passkey
		says    int // which of the two words; -1 for neither
	}{
		"synced":          {proofs.Passkey{Protocol: "FIDO2", Kind: &synced}, 0},
		"bound":           {proofs.Passkey{Protocol: "FIDO2", Kind: &bound}, 1},
		"unknown":         {proofs.Passkey{Protocol: "FIDO2"}, -1},
		"UAF":             {proofs.Passkey{Protocol: "UAF11", AAID: &model, Kind: &bound}, 1},
		"UAF, kept early": {proofs.Passkey{Protocol: "UAF11", AAID: &model}, 1},
	} {
		kept := keeper.Open("p", keeper.Seal("p", []proofs.Entry{{Role: "r", Passkey: &c.passkey}}, func(string) time.Time { return time.Time{} }))
		if len(kept) != 1 {
			t.Fatalf("%s: kept are %+v", name, kept)
		}
		for language, both := range words {
			var text strings.Builder
			page := proofsView{Common: templates.Common{Language: language}, Roles: []evidence{{Kept: []keptProof{{Entry: kept[0]}}}}}
			if err := pages.Write(&text, "package-proofs", page); err != nil {
				t.Fatal(err)
			}
			for i, word := range both {
				if strings.Contains(text.String(), word) != (i == c.says) {
					t.Errorf("%s, %s: %q is there: %t", name, language, word, i != c.says)
				}
			}
		}
	}
}

func newPages(t *testing.T) *templates.Pages {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	return templates.New(templates.Options{Bundle: bundle, Assets: assets})
}
