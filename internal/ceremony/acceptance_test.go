package ceremony_test

import (
	"bytes"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
)

// The checks that belong to the platform are left to it, even for responses that look bad
// here.
func TestCheck_LeftToPlatform(t *testing.T) {
	t.Parallel()
	garbage := func([]byte) []byte { return []byte{1} }
	for name, c := range map[string]struct {
		options   authenticator.Options
		tampering authenticator.Tampering
	}{
		"a bad signature":         {tampering: authenticator.Tampering{Signature: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }}},
		"a signature of one byte": {tampering: authenticator.Tampering{Signature: garbage}},
		"a bad attestation": {authenticator.Options{Attestation: authenticator.PackedBasic}, authenticator.Tampering{
			Attestation: func(m map[string]any) { m["attStmt"].(map[string]any)["sig"] = []byte{1} },
		}},
		"an attestation that is none": {tampering: authenticator.Tampering{
			Attestation: func(m map[string]any) { m["attStmt"] = map[string]any{"sig": []byte{1}} },
		}},
		"no user presence": {tampering: authenticator.Tampering{
			AuthData: func(d *authenticator.AuthData) { d.Flags &^= authenticator.FlagUserPresent },
		}},
		"user verification we did not ask": {options: authenticator.Options{UserVerifying: true}},
		"backed up without being eligible": {tampering: authenticator.Tampering{
			AuthData: func(d *authenticator.AuthData) { d.Flags |= authenticator.FlagBackedUp },
		}},
		"a key of ML-DSA-44":       {tampering: mldsa(-48, 1312, 2420)},
		"a key of ML-DSA-65":       {tampering: mldsa(-49, 1952, 3309)},
		"a counter that went back": {tampering: authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.SignCount = 0 }}},
		"another AAGUID":           {options: authenticator.Options{AAGUID: [16]byte(bytes.Repeat([]byte{0xff}, 16))}},
		"extensions nobody asked": {tampering: authenticator.Tampering{
			Credential: func(m map[string]any) {
				m["clientExtensionResults"] = map[string]any{"appid": true, "made-up": []any{1}}
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range both(t, c.options, c.tampering) {
				wantKey(t, e.name, e.judge(e.text), "")
			}
		})
	}
}

// mldsa gives a key and a signature of these sizes (FIPS 204) the form of an algorithm (RFC 9964).
func mldsa(algorithm int64, key, signature int) authenticator.Tampering {
	return authenticator.Tampering{
		AuthData: func(d *authenticator.AuthData) {
			if d.Attested == nil {
				return
			}
			encoded, err := cbor.Marshal(map[int64]any{1: 7, 3: algorithm, -1: bytes.Repeat([]byte{0xa5}, key)})
			if err != nil {
				panic(err) // numbers and bytes always encode
			}
			d.Attested.PublicKey = encoded
		},
		Signature: func([]byte) []byte { return bytes.Repeat([]byte{0x5a}, signature) },
	}
}

// The platform checks whose credential it is.
func TestCheck_LeavesCredentialToPlatform(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	other := set(t, set(t, p.assertion, "id", "AAAA"), "rawId", "AAAA")
	wantKey(t, "another credential", judgeSignIn(other), "")
	wantKey(t, "another user handle", judgeSignIn(set(t, p.assertion, "response.userHandle", "Ym9i")), "")
}

// A registration says what it makes, as its authenticator data has it; a sign-in makes nothing.
func TestRegistration_ReportsCredential(t *testing.T) {
	t.Parallel()
	const eligible, backedUp = authenticator.FlagBackupEligible, authenticator.FlagBackedUp
	options := authenticator.Options{AAGUID: [16]byte{0xEA, 0x9B, 0x8D, 0x66, 0x4D, 1, 0x1D, 0x21, 0x3C, 0xE4, 0xB6, 0xB4, 0x8C, 0xB5, 0x75, 0xD4}}
	for _, flags := range []byte{0, eligible, eligible | backedUp, backedUp} {
		p := ceremonies(t, options, authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Flags |= flags }})
		made, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, p.registration)
		if err != nil {
			t.Fatal(err)
		}
		want := ceremony.MadeCredential{AAGUID: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", BackupEligible: flags&eligible > 0, BackedUp: flags&backedUp > 0}
		if made.Made == nil || *made.Made != want {
			t.Errorf("flags %x: %+v, want %+v", flags, made.Made, want)
		}
		used, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, p.assertion)
		if err != nil || used.Made != nil {
			t.Errorf("a sign-in makes %+v: %v", used.Made, err)
		}
	}
}
