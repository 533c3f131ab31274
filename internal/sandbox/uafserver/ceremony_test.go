package uafserver_test

import (
	"bytes"
	"fmt"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

var algorithms = []uaf.SignatureAlgorithm{1, 2, 3, 4, 5, 6, 8, 9}

func keyFormats(algorithm uaf.SignatureAlgorithm) []uaf.KeyFormat {
	if softuaf.DefaultKeyFormat(algorithm) == uaf.KeyECRaw {
		return []uaf.KeyFormat{uaf.KeyECRaw, uaf.KeyECDER}
	}
	return []uaf.KeyFormat{uaf.KeyRSARaw, uaf.KeyRSADER}
}

func TestCeremony_EveryAlgorithm(t *testing.T) {
	for _, algorithm := range algorithms {
		for _, format := range keyFormats(algorithm) {
			for _, attestation := range []uaf.Tag{uaf.TagAttestationFull, uaf.TagAttestationSurrogate} {
				name := fmt.Sprintf("%d/%#x/%s", algorithm, uint16(format), attestation)
				t.Run(name, func(t *testing.T) {
					carryThrough(t, softuaf.Options{Algorithm: algorithm, KeyFormat: format, Attestation: attestation})
				})
			}
		}
	}
}

// carryThrough registers, signs in twice, and checks the stored counters.
func carryThrough(t *testing.T, options softuaf.Options) {
	t.Helper()
	authenticator, server := registered(t, options)
	key := server.keys[0]
	if key.AAID != testAAID || key.KeyFormat != authenticator.Options.KeyFormat || len(key.KeyID) != 32 ||
		key.AuthenticatorVersion != 2 || key.RegistrationCounter != 1 {
		t.Errorf("registered %+v", key)
	}
	for counter := uint32(1); counter <= 2; counter++ {
		response, err := authenticator.Authenticate(server.authenticationRequest())
		if err != nil {
			t.Fatal(err)
		}
		good, err := server.authenticate(response)
		if err != nil {
			t.Fatal(err)
		}
		if len(good) != 1 || good[0].SignCounter != counter || !bytes.Equal(good[0].KeyID, key.KeyID) {
			t.Errorf("authenticated %+v", good)
		}
		// The same message again is refused, because the counter did not grow.
		_, err = server.authenticate(response)
		wantStatus(t, err, content)
	}
}

// The attestation's algorithm may differ from the key's, and the root's from
// both.
func TestAttestation_OtherAlgorithmThanKey(t *testing.T) {
	for _, attestation := range algorithms {
		for _, root := range []uaf.SignatureAlgorithm{uaf.AlgorithmP256DER, uaf.AlgorithmPKCS1Raw, uaf.AlgorithmSecp256k1DER} {
			t.Run(fmt.Sprintf("%d/%d", attestation, root), func(t *testing.T) {
				carryThrough(t, softuaf.Options{
					Algorithm: uaf.AlgorithmP256Raw, Attestation: uaf.TagAttestationFull,
					AttestationAlgorithm: attestation, RootAlgorithm: root,
				})
			})
		}
	}
}

func TestAttestation_SurrogateInOtherEncoding(t *testing.T) {
	carryThrough(t, softuaf.Options{Algorithm: uaf.AlgorithmP256Raw, AttestationAlgorithm: uaf.AlgorithmP256DER})
	carryThrough(t, softuaf.Options{Algorithm: uaf.AlgorithmPSSRaw, AttestationAlgorithm: uaf.AlgorithmPKCS1DER})
}

func TestAuthenticator_WithoutCounter(t *testing.T) {
	authenticator, server := registered(t, softuaf.Options{NoCounters: true})
	for range 2 {
		response, err := authenticator.Authenticate(server.authenticationRequest())
		if err != nil {
			t.Fatal(err)
		}
		good, err := server.authenticate(response)
		if err != nil || good[0].SignCounter != 0 {
			t.Errorf("%+v, %v", good, err)
		}
	}
}

// Changing or removing any byte of an assertion is detected.
func TestAssertion_ChangedByteDetected(t *testing.T) {
	authenticator, server := pair(t, softuaf.Options{Algorithm: uaf.AlgorithmP256Raw, Attestation: uaf.TagAttestationFull}, nil)
	// try sends an assertion whose byte i is changed, or missing with all after it; it
	// returns false after the last byte, when nothing was changed.
	try := func(act func(string) (string, error), request string, judge func(string) error, i int, cut bool) bool {
		whole := false
		authenticator.Options.Tamper.Encoded = func(b []byte) []byte {
			if whole = i >= len(b); whole {
				return b
			}
			if cut {
				return b[:i]
			}
			b[i] ^= 1
			return b
		}
		message, err := act(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := judge(message); (err == nil) != whole {
			t.Errorf("byte %d: %v", i, err)
		}
		return !whole
	}
	register := func(message string) error { _, err := server.register(message); return err }
	authenticate := func(message string) error { _, err := server.authenticate(message); return err }
	for _, cut := range []bool{true, false} {
		server.keys, authenticator.Keys = nil, nil
		request := server.registrationRequest()
		for i := 0; try(authenticator.Register, request, register, i, cut); i++ {
			authenticator.Keys = nil
		}
		request = server.authenticationRequest()
		for i := 0; try(authenticator.Authenticate, request, authenticate, i, cut); i++ {
		}
	}
}
