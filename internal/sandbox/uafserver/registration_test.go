package uafserver_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// inSigned returns a tampering that changes the value of an element before the assertion
// is signed.
func inSigned(tag uaf.Tag, value func([]byte) []byte) softuaf.Tamper {
	return softuaf.Tamper{Signed: func(e *uaf.Element) {
		edit(e, tag, func(p *uaf.Element, i int) { p.Children[i].Value = value(slices.Clone(p.Children[i].Value)) })
	}}
}

func at(index int, bytes ...byte) func([]byte) []byte {
	return func(value []byte) []byte {
		copy(value[index:], bytes)
		return value
	}
}

type registrationRule struct {
	name     string
	options  softuaf.Options
	metadata func(map[string]any)
	want     uaf.Status
}

var full = softuaf.Options{Attestation: uaf.TagAttestationFull}

func tampered(o softuaf.Options, tamper softuaf.Tamper) softuaf.Options {
	o.Tamper = tamper
	return o
}

func registrationRules() []registrationRule {
	return []registrationRule{
		{"an AAID without metadata", softuaf.Options{}, put("aaid", "FFFF#FFFF"), uaf.StatusUnknownAAID},
		{"the AAID in another case", softuaf.Options{AAID: "abcd#12eF"}, put("aaid", "ABCD#12Ef"), uaf.StatusOK},
		{"the metadata's scheme is another", softuaf.Options{}, put("assertionScheme", "OTHER"), content},
		{"the authenticator is outdated", softuaf.Options{}, put("authenticatorVersion", 3), uaf.StatusUnacceptableAuthenticator},
		{"the authenticator is newer", softuaf.Options{}, put("authenticatorVersion", 1), uaf.StatusOK},
		{"the algorithm is not the metadata's", softuaf.Options{},
			put("authenticationAlgorithms", []int{1, 3}), uaf.StatusUnacceptableAlgorithm},
		{"the attestation's algorithm is not the metadata's",
			softuaf.Options{Attestation: uaf.TagAttestationFull, AttestationAlgorithm: uaf.AlgorithmPSSRaw},
			put("authenticationAlgorithms", []int{2}), uaf.StatusUnacceptableAlgorithm},
		{"the algorithm is SM2", tampered(softuaf.Options{}, inSigned(uaf.TagAssertionInfo, at(3, 7))),
			put("authenticationAlgorithms", []int{2, 7}), uaf.StatusUnacceptableAlgorithm},
		{"no algorithm can use the key",
			softuaf.Options{Attestation: uaf.TagAttestationFull, AttestationAlgorithm: uaf.AlgorithmPSSRaw},
			put("authenticationAlgorithms", []int{3}), uaf.StatusUnacceptableKey},
		{"the key format is not the metadata's", softuaf.Options{},
			put("publicKeyAlgAndEncodings", []string{"ecc_x962_der"}), uaf.StatusUnacceptableKey},
		{"the key format is none", tampered(softuaf.Options{}, inSigned(uaf.TagAssertionInfo, at(5, 0, 2))),
			put("publicKeyAlgAndEncodings", []int{0x100, 0x200}), uaf.StatusUnacceptableKey},
		{"the key is no point", tampered(full, inSigned(uaf.TagPublicKey, at(40, 1, 2, 3))), nil, uaf.StatusUnacceptableKey},
		{"the key is a compressed point",
			tampered(full, inSigned(uaf.TagPublicKey, func(v []byte) []byte { return append([]byte{2}, v[1:33]...) })),
			nil, uaf.StatusUnacceptableKey},
		{"the hash is another", tampered(softuaf.Options{}, inSigned(uaf.TagFinalChallengeHash, at(0, 1, 2, 3, 4))), nil, content},
		{"the hash is over the JSON", tampered(softuaf.Options{}, softuaf.Tamper{FCHash: func(text string) []byte {
			decoded, _ := base64.RawURLEncoding.DecodeString(text)
			digest := sha256.Sum256(decoded)
			return digest[:]
		}}), nil, content},
		{"the hash is SHA-1", tampered(softuaf.Options{}, softuaf.Tamper{FCHash: func(text string) []byte {
			digest := sha1.Sum([]byte(text))
			return digest[:]
		}}), nil, content},
		{"the registration counter is the highest",
			tampered(softuaf.Options{}, inSigned(uaf.TagCounters, at(4, 255, 255, 255, 255))), nil, content},
		{"the registration counter is zero", tampered(softuaf.Options{}, inSigned(uaf.TagCounters, at(4, 0, 0, 0, 0))), nil, uaf.StatusOK},
		{"the registration counter is a thousand", tampered(softuaf.Options{}, inSigned(uaf.TagCounters, at(4, 232, 3))), nil, uaf.StatusOK},
		{"the sign counter is high", tampered(softuaf.Options{}, inSigned(uaf.TagCounters, at(0, 0, 0, 0, 16))), nil, uaf.StatusOK},
	}
}

// attestationRules returns the rules of the attestation, and of points that the protocol
// leaves open.
func attestationRules(t testing.TB) []registrationRule {
	t.Helper()
	return []registrationRule{
		{"surrogate where there are roots", softuaf.Options{},
			put("attestationRootCertificates", []string{rootText(t)}), uaf.StatusUnacceptableAttestation},
		{"full where there are no roots", full, put("attestationRootCertificates", []string{}), uaf.StatusUnacceptableAttestation},
		{"a type that the metadata does not name", softuaf.Options{},
			put("attestationTypes", []int{0x3E07}), uaf.StatusUnacceptableAttestation},
		{"no types named", softuaf.Options{}, put("attestationTypes", []int{}), uaf.StatusOK},
		{"a signature changed", tampered(softuaf.Options{}, softuaf.Tamper{Signature: at(20, 0xAA, 0xBB)}), nil, uaf.StatusUnacceptableAttestation},
		{"a full signature changed", tampered(full, softuaf.Tamper{Signature: at(20, 0xAA, 0xBB)}), nil, uaf.StatusUnacceptableAttestation},
		{"something signed changed", tampered(full, softuaf.Tamper{Assertion: func(e *uaf.Element) {
			edit(e, uaf.TagKeyID, func(p *uaf.Element, i int) { p.Children[i].Value[0] ^= 1 })
		}}), nil, uaf.StatusUnacceptableAttestation},
		{"an ignorable extension in what is signed", tampered(full, softuaf.Tamper{Signed: addExtension(uaf.TagExtension)}), nil, uaf.StatusOK},
		{"a critical extension in what is signed", tampered(full, softuaf.Tamper{Signed: addExtension(uaf.TagCriticalExtension)}), nil, content},
		{"an ignorable extension outside", tampered(full, softuaf.Tamper{Assertion: addExtension(uaf.TagExtension)}), nil, uaf.StatusOK},
		{"a user verification index", tampered(full, softuaf.Tamper{Signed: addIndex, Assertion: addIndex}), nil, uaf.StatusOK},
		{"one that was not signed", tampered(full, softuaf.Tamper{Assertion: func(e *uaf.Element) { addIndex(&e.Children[0]) }}),
			nil, uaf.StatusUnacceptableAttestation},
		{"an unknown critical element", tampered(full, softuaf.Tamper{Signed: addExtension(0x2103)}), nil, content},
		{"the parts in reverse", tampered(full, softuaf.Tamper{Signed: reversed, Assertion: reversed}), nil, uaf.StatusOK},
		{"bytes after the assertion", tampered(full, softuaf.Tamper{Encoded: func(b []byte) []byte { return append(b, 0, 0) }}), nil, content},
	}
}

// A server's checks of a registration, each broken in an otherwise good, signed message.
func TestRegistration_RulesBroken(t *testing.T) {
	for _, c := range slices.Concat(registrationRules(), attestationRules(t)) {
		t.Run(c.name, func(t *testing.T) {
			authenticator, server := pair(t, c.options, c.metadata)
			err := registerWith(t, authenticator, server)
			wantStatus(t, err, c.want)
			if stored := len(server.keys); (stored == 1) != (c.want == uaf.StatusOK) {
				t.Errorf("%d keys stored", stored)
			}
		})
	}
}

// registerWith carries a registration through with an authenticator that ignores the
// policy.
func registerWith(t testing.TB, authenticator *softuaf.Authenticator, server *server) error {
	t.Helper()
	request, err := uaf.ParseRegistrationRequest(server.registrationRequest())
	if err != nil {
		t.Fatal(err)
	}
	request.Policy = uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{authenticator.Options.AAID}}}}}
	message, err := request.Encode()
	if err != nil {
		t.Fatal(err)
	}
	response, err := authenticator.Register(message)
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.register(response)
	return err
}

func put(name string, value any) func(map[string]any) {
	return func(statement map[string]any) { statement[name] = value }
}

func rootText(t testing.TB) string {
	t.Helper()
	root, err := softuaf.NewRoot(uaf.AlgorithmP256DER, softuaf.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(root.DER)
}

func addExtension(tag uaf.Tag) func(*uaf.Element) {
	return func(e *uaf.Element) {
		e.Children = append(e.Children, uaf.Element{Tag: tag, Children: []uaf.Element{
			{Tag: uaf.TagExtensionID, Value: []byte("vendor")}, {Tag: uaf.TagExtensionData},
		}})
	}
}

// addIndex adds a user verification index, an element unknown to the package.
func addIndex(e *uaf.Element) {
	e.Children = append(e.Children, uaf.Element{Tag: 0x0103, Value: []byte("index")})
}

func reversed(e *uaf.Element) { slices.Reverse(e.Children) }

func TestRegistration_ECDAARefused(t *testing.T) {
	for _, types := range [][]int{{0x3E08}, {0x3E09}, nil} {
		authenticator, server := pair(t, softuaf.Options{Tamper: softuaf.Tamper{Assertion: func(e *uaf.Element) {
			e.Children[1].Tag = uaf.TagAttestationECDAA
		}}}, put("attestationTypes", types))
		err := registerWith(t, authenticator, server)
		wantStatus(t, err, uaf.StatusUnacceptableAttestation)
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("ECDAA")) {
			t.Errorf("%v does not say ECDAA", err)
		}
	}
}

func TestRegistration_SameKeyTwice(t *testing.T) {
	authenticator, server := registered(t, softuaf.Options{})
	keyID := server.keys[0].KeyID
	authenticator.Keys = nil
	authenticator.Options.Tamper = inSigned(uaf.TagKeyID, func([]byte) []byte { return keyID })
	// It is refused by the policy that disallows it, and by the server's own records.
	wantStatus(t, registerWith(t, authenticator, server), uaf.StatusUnacceptableAuthenticator)
	response, err := authenticator.Register(server.registrationRequest())
	if err != nil {
		t.Fatal(err)
	}
	server.policy.Disallowed = nil
	_, err = server.register(response)
	wantStatus(t, err, uaf.StatusUnacceptableAuthenticator)
	if len(server.keys) != 1 {
		t.Errorf("%d keys stored", len(server.keys))
	}
}

// Several assertions of one response are judged one by one.
func TestRegistration_SeveralAssertions(t *testing.T) {
	authenticator, _ := pair(t, softuaf.Options{}, nil)
	other, _ := pair(t, softuaf.Options{AAID: "DDDD#4444", Algorithm: uaf.AlgorithmPSSRaw}, nil)
	server := newServer(t, metadataOf(t, authenticator), metadataOf(t, other))
	request := server.registrationRequest()
	response := responseTo(t, authenticator, request)
	one, two := response.Assertions[0], responseTo(t, other, request).Assertions[0]
	bad, unread, unknown := two, two, one
	bad.Text, unread.Text, unknown.Scheme = bad.Text[:len(bad.Text)-4]+"AAAA", "AAAA", "OTHER"
	cases := []struct {
		name       string
		assertions []uaf.Assertion
		stored     int
		want       uaf.Status
	}{
		{"both good", []uaf.Assertion{one, two}, 2, uaf.StatusOK},
		{"one good", []uaf.Assertion{one, bad}, 1, uaf.StatusOK},
		{"the third good", []uaf.Assertion{unread, unknown, one}, 1, uaf.StatusOK},
		{"none good", []uaf.Assertion{bad, unread}, 0, uaf.StatusUnacceptableAttestation},
		{"the same twice", []uaf.Assertion{one, one}, 1, uaf.StatusOK},
		{"more than any device has", slices.Repeat([]uaf.Assertion{one}, 33), 0, content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			response.Assertions = c.assertions
			message, err := response.Encode()
			if err != nil {
				t.Fatal(err)
			}
			server.keys = nil
			_, err = server.register(message)
			wantStatus(t, err, c.want)
			if len(server.keys) != c.stored {
				t.Errorf("%d keys stored, want %d", len(server.keys), c.stored)
			}
		})
	}
}

// responseTo returns an answer to request; all answers to it have the same fcParams.
func responseTo(t testing.TB, a *softuaf.Authenticator, request string) *uaf.Response {
	t.Helper()
	text, err := a.Register(request)
	if err != nil {
		t.Fatal(err)
	}
	a.Keys = nil
	parsed, err := uaf.ParseRegistrationResponse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// metadataOf returns the authenticator's statement.
func metadataOf(t testing.TB, authenticator *softuaf.Authenticator) []byte {
	t.Helper()
	document, err := authenticator.Metadata(nil)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// edit applies change to the first element of e with tag.
func edit(e *uaf.Element, tag uaf.Tag, change func(parent *uaf.Element, index int)) {
	for i := range e.Children {
		if e.Children[i].Tag == tag {
			change(e, i)
			return
		}
		edit(&e.Children[i], tag, change)
	}
}
