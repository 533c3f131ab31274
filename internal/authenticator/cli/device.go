package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/appclient"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// device is a software authenticator of either protocol, which holds one key after it has
// registered.
type device interface {
	register(request string) (string, error)
	// sign returns errNoKey if the request is not for this key.
	sign(request string) (string, error)
	// keep writes its key, counter included, to k.
	keep(k *storedKey) error
	// describe returns a description of the kind of key that it makes.
	describe() string
}

var errNoKey = errors.New("the request is not for this key")

type uafDevice struct{ *softuaf.Authenticator }

func (d uafDevice) register(request string) (string, error) {
	response, err := d.Register(request)
	if errors.Is(err, softuaf.ErrNotAllowed) && d.Options.Attestation == uaf.TagAttestationFull {
		return "", fmt.Errorf("the server does not accept %s: give it what countersign authenticator metadata prints (the sandbox in COUNTERSIGN_SANDBOX_UAF_METADATA)", d.Options.AAID)
	}
	return response, err
}

func (d uafDevice) sign(request string) (string, error) {
	response, err := d.Authenticate(request)
	if errors.Is(err, softuaf.ErrNoKey) {
		return "", errNoKey
	}
	return response, err
}

func (d uafDevice) keep(k *storedKey) error {
	stored, err := d.Store()
	k.Protocol, k.UAF = appclient.UAF11, &stored
	return err
}

func (d uafDevice) describe() string {
	attestation := "surrogate"
	if d.Options.Attestation == uaf.TagAttestationFull {
		attestation = "full"
	}
	return fmt.Sprintf("%s of %s as %s, %s attestation", softuaf.AlgorithmName(d.Options.Algorithm), d.Options.AAID,
		softuaf.KeyFormatName(d.Options.KeyFormat), attestation)
}

type fido2Device struct {
	*authenticator.FIDO2
	kind string
}

func (d fido2Device) register(request string) (string, error) { return d.Create(request) }

func (d fido2Device) sign(request string) (string, error) {
	response, err := d.Get(request)
	if errors.Is(err, authenticator.ErrNoCredential) {
		return "", errNoKey
	}
	return response, err
}

func (d fido2Device) keep(k *storedKey) error {
	stored, err := d.Store()
	if err != nil {
		return err
	}
	k.Protocol, k.FIDO2 = appclient.FIDO2, &stored[len(stored)-1]
	return nil
}

func (d fido2Device) describe() string { return d.kind }

// device returns the authenticator of a stored key, in a client of origin.
func (k *storedKey) device(origin string) (device, error) {
	switch {
	case k.UAF != nil:
		a, err := k.UAF.Restore(origin)
		return uafDevice{a}, err
	case k.FIDO2 != nil:
		a := authenticator.NewFIDO2(fido2Options(origin))
		return fido2Device{FIDO2: a}, a.Restore(*k.FIDO2)
	}
	return nil, fmt.Errorf("a key of no protocol is in the file of keys")
}

// newDevice returns an authenticator of protocol without a key, configured by the flags.
func (t *terminal) newDevice(protocol string) (device, error) {
	if protocol == appclient.FIDO2 {
		return t.newFIDO2()
	}
	return t.newUAF()
}

func fido2Options(origin string) authenticator.Options {
	return authenticator.Options{Origin: origin, Discoverable: true, UserVerifying: true, Platform: true}
}

// fido2Algorithms are the algorithms of FIDO2 keys. No UAF algorithm has one of these names.
var fido2Algorithms = []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA, authenticator.MLDSA44, authenticator.MLDSA65}

func (t *terminal) newFIDO2() (device, error) {
	options := fido2Options(t.origin)
	options.Algorithm = authenticator.Algorithm(cmp.Or(t.algorithm, string(authenticator.ES256)))
	options.Attestation = authenticator.Attestation(t.fido2Attestation())
	if !slices.Contains(fido2Algorithms, options.Algorithm) {
		return nil, usagef("--algorithm %s: FIDO2 has ES256, RS256, EdDSA, ML-DSA-44 and ML-DSA-65", options.Algorithm)
	}
	if !authenticator.Makes(options.Algorithm) {
		return nil, usagef("--algorithm %s: this program is built with a Go before 1.27, which cannot sign with it", options.Algorithm)
	}
	if !slices.Contains([]authenticator.Attestation{authenticator.None, authenticator.Packed, authenticator.PackedBasic}, options.Attestation) {
		return nil, usagef("--attestation %s: FIDO2 has none, packed and packed-basic", options.Attestation)
	}
	if t.keyFormat != "" {
		return nil, usagef("--key-format is for UAF11")
	}
	kind := fmt.Sprintf("%s, attestation %s", options.Algorithm, options.Attestation)
	return fido2Device{authenticator.NewFIDO2(options), kind}, nil
}

func (t *terminal) fido2Attestation() string {
	return cmp.Or(t.attestation, string(authenticator.None))
}

func (t *terminal) newUAF() (device, error) {
	if slices.Contains(fido2Algorithms, authenticator.Algorithm(t.algorithm)) {
		return nil, usagef("--algorithm %s is one of FIDO2: add --protocol FIDO2", t.algorithm)
	}
	algorithm, err := softuaf.ParseAlgorithm(cmp.Or(t.algorithm, softuaf.AlgorithmName(uaf.AlgorithmP256DER)))
	if err != nil {
		return nil, flagError("algorithm", err)
	}
	options := softuaf.Options{
		AAID: softuaf.DemoAAID, Version: softuaf.DemoVersion, Algorithm: algorithm, FacetID: t.origin, Now: t.Now(),
	}
	if t.keyFormat != "" {
		if options.KeyFormat, err = softuaf.ParseKeyFormat(t.keyFormat); err != nil {
			return nil, flagError("key-format", err)
		}
		if raw := softuaf.DefaultKeyFormat(algorithm); options.KeyFormat != raw && options.KeyFormat != raw+1 {
			return nil, usagef("--key-format %s does not go with --algorithm %s: it is %s or %s",
				t.keyFormat, softuaf.AlgorithmName(algorithm), softuaf.KeyFormatName(raw), softuaf.KeyFormatName(raw+1))
		}
	}
	switch cmp.Or(t.attestation, "surrogate") {
	case "surrogate":
	case "full":
		options.AAID, options.Attestation = softuaf.AttestedAAID, uaf.TagAttestationFull
		if options.Root, err = t.keys.root(t.Now()); err != nil {
			return nil, err
		}
	default:
		return nil, usagef("--attestation %s: UAF11 has surrogate and full", t.attestation)
	}
	a, err := softuaf.New(options)
	return uafDevice{a}, err
}

func flagError(name string, err error) error {
	return usagef("--%s: %s", name, strings.TrimPrefix(err.Error(), "softuaf: "))
}
