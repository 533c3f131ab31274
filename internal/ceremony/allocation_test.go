package ceremony_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

// A hostile message costs memory in proportion to its length at most.
func TestAllocations_BoundedByLength(t *testing.T) {
	honest := ceremonies(t, authenticator.Options{}, authenticator.Tampering{}).registration
	const room = 180_000 // bytes of CBOR that fit into a message as base64url
	object := func(b []byte) string { return set(t, honest, "response.attestationObject", encode(b)) }
	authData := func(b []byte) string {
		flags := authenticator.FlagExtensions
		data := append(append(make([]byte, 32), flags, 0, 0, 0, 0), b...)
		return object(cborOf(t, map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data}))
	}
	wide := append([]byte{0x9a, 0, 0, 0x03, 0xff}, bytes.Repeat([]byte{0xa0}, room)...)
	for name, text := range map[string]string{
		"an array of empty objects":  "[" + strings.Repeat("{},", 80_000) + "{}]",
		"an object of many members":  `{"x":[` + strings.Repeat("0,", 100_000) + "0]}",
		"nested arrays":              strings.Repeat("[", ceremony.MaxMessage),
		"many transports":            set(t, honest, "response.transports", strings.Split(strings.Repeat(",", 60_000), ",")),
		"many extensions":            set(t, honest, "clientExtensionResults", manyMembers(20_000)),
		"wide CBOR":                  object(wide),
		"a map of many":              object(append([]byte{0xb9, 0x03, 0xff}, bytes.Repeat([]byte{0x01, 0xa0}, room/2)...)),
		"wide extensions":            authData(wide),
		"wide extensions, by itself": authData(append([]byte{0xa1, 0x61, 0x61, 0x9a, 0, 2, 0, 0}, bytes.Repeat([]byte{0xa0}, 131_072)...)),
		"a long string announced":    object([]byte{0x5a, 0x7f, 0xff, 0xff, 0xff}),
	} {
		for _, p := range []ceremony.Protocol{ceremony.FIDO2, ceremony.UAF11} {
			spent := allocated(func() {
				_, err := ceremony.FromRegistrationResponse(p, text)
				if err != nil && !fault.Is(err, fault.CeremonyMalformed) {
					t.Errorf("%s: %v", name, err)
				}
			})
			if limit := uint64(100*len(text) + 1<<20); spent > limit {
				t.Errorf("%s as %s: %d bytes allocated for %d", name, p, spent, len(text))
			}
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func manyMembers(n int) map[string]any {
	m := map[string]any{}
	for i := range n {
		m[encode([]byte{byte(i), byte(i >> 8), byte(i >> 16)})] = 1
	}
	return m
}
