package uaf_test

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"countersign/internal/uaf"
)

// krd returns a KRD that parses, with an invalid signature.
func krd() uaf.KeyRegistrationData {
	return uaf.KeyRegistrationData{
		AAID:               testAAID,
		Info:               uaf.AssertionInfo{AuthenticatorVersion: 2, Mode: uaf.ModeVerified, Algorithm: 1, KeyFormat: uaf.KeyECRaw},
		FinalChallengeHash: bytes.Repeat([]byte{1}, 32), KeyID: bytes.Repeat([]byte{2}, 32),
		SignCounter: 3, RegistrationCounter: 4, PublicKey: []byte("a key"),
	}
}

func registrationElement() uaf.Element {
	attestation := uaf.Attestation{Tag: uaf.TagAttestationFull, Signature: []byte("a signature"), Certificates: [][]byte{{1}, {2, 3}}}
	return uaf.Element{Tag: uaf.TagRegistrationAssertion, Children: []uaf.Element{krd().Element(), attestation.Element()}}
}

func signedData() uaf.SignedData {
	return uaf.SignedData{
		AAID: testAAID, Info: uaf.AssertionInfo{AuthenticatorVersion: 2, Mode: uaf.ModeVerified, Algorithm: 1},
		Nonce: []byte("12345678"), FinalChallengeHash: bytes.Repeat([]byte{1}, 32),
		KeyID: bytes.Repeat([]byte{2}, 32), SignCounter: 3,
	}
}

func authenticationElement() uaf.Element {
	return uaf.Element{Tag: uaf.TagAuthenticationAssertion, Children: []uaf.Element{
		signedData().Element(), {Tag: uaf.TagSignature, Value: []byte("a signature")},
	}}
}

func encoded(t testing.TB, e uaf.Element) []byte {
	t.Helper()
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// kinds are the two assertions, each with its parser.
var kinds = []struct {
	name  string
	make  func() uaf.Element
	parse func([]byte) error
}{
	{"registration", registrationElement, func(data []byte) error {
		_, err := uaf.ParseRegistrationAssertion(data)
		return err
	}},
	{"authentication", authenticationElement, func(data []byte) error {
		_, err := uaf.ParseAuthenticationAssertion(data)
		return err
	}},
}

func TestAssertion_RoundTrip(t *testing.T) {
	data := encoded(t, registrationElement())
	parsed, err := uaf.ParseRegistrationAssertion(data)
	if err != nil {
		t.Fatal(err)
	}
	want := krd()
	if parsed.AAID != want.AAID || parsed.Info != want.Info || parsed.SignCounter != 3 || parsed.RegistrationCounter != 4 ||
		!bytes.Equal(parsed.FinalChallengeHash, want.FinalChallengeHash) || !bytes.Equal(parsed.KeyID, want.KeyID) ||
		!bytes.Equal(parsed.PublicKey, want.PublicKey) {
		t.Errorf("read %+v", parsed.KeyRegistrationData)
	}
	if !bytes.Equal(parsed.Signed, encoded(t, want.Element())) {
		t.Error("what is signed is not the whole KRD")
	}
	a := parsed.Attestation
	if a.Tag != uaf.TagAttestationFull || string(a.Signature) != "a signature" || !bytes.Equal(a.Certificates[1], []byte{2, 3}) {
		t.Errorf("attestation %+v", a)
	}
	signed, err := uaf.ParseAuthenticationAssertion(encoded(t, authenticationElement()))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(signed.Signed, encoded(t, signedData().Element())) || signed.SignCounter != 3 ||
		string(signed.Nonce) != "12345678" || string(signed.Signature) != "a signature" || len(signed.TransactionHash) != 0 {
		t.Errorf("read %+v", signed)
	}
}

// The bytes of a small assertion written out from the specification, to detect a mistake
// made in both writing and parsing.
func TestAssertion_LayoutOfSpecification(t *testing.T) {
	layout := "02 3e 8c 00" + // AUTH_ASSERTION
		"04 3e 80 00" + // SIGNED_DATA
		"0b 2e 09 00 41 42 43 44 23 31 32 33 34" + // AAID
		"0e 2e 05 00 02 00 01 01 00" + // ASSERTION_INFO
		"0f 2e 08 00 31 32 33 34 35 36 37 38" + // NONCE
		"0a 2e 20 00" + strings.Repeat(" 01", 32) +
		"10 2e 00 00" + // TRANSACTION_CONTENT_HASH
		"09 2e 20 00" + strings.Repeat(" 02", 32) +
		"0d 2e 04 00 03 00 00 00" + // COUNTERS
		"06 2e 04 00 09 09 09 09" // SIGNATURE
	want, err := hex.DecodeString(strings.ReplaceAll(layout, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	e := authenticationElement()
	e.Children[1].Value = []byte{9, 9, 9, 9}
	got := encoded(t, e)
	// The two lengths in the layout are computed, not copied.
	want[2], want[6] = byte(len(want)-4), byte(len(want)-16)
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
}

func TestAssertion_PrefixOrTrailerRefused(t *testing.T) {
	for _, kind := range kinds {
		data := encoded(t, kind.make())
		for size := range data {
			if err := kind.parse(data[:size]); uaf.StatusOf(err) != content {
				t.Fatalf("%s: the first %d of %d bytes: %v", kind.name, size, len(data), err)
			}
		}
		for _, trailer := range []string{"\x00", "\xde\xad\xbe\xef", "\x12\x3e\x00\x00", "\x03\x01\x00\x00", string(data)} {
			if err := kind.parse(append(slices.Clone(data), trailer...)); uaf.StatusOf(err) != content {
				t.Errorf("%s: with %d bytes after it: %v", kind.name, len(trailer), err)
			}
		}
	}
}

func TestAssertion_TooLong(t *testing.T) {
	for _, kind := range kinds {
		e := kind.make()
		room := uaf.MaxAssertion - len(encoded(t, e)) - 4 - 4 - 1 - 4
		extension := func(size int) uaf.Element {
			return uaf.Element{Tag: uaf.TagExtension, Children: []uaf.Element{
				{Tag: uaf.TagExtensionID, Value: []byte("x")}, {Tag: uaf.TagExtensionData, Value: make([]byte, size)},
			}}
		}
		e.Children = append(e.Children, extension(room))
		if err := kind.parse(encoded(t, e)); err != nil {
			t.Errorf("%s of %d bytes: %v", kind.name, len(encoded(t, e)), err)
		}
		e.Children[2] = extension(room + 1)
		wantStatus(t, kind.parse(encoded(t, e)), content)
	}
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

func tagsOf(e uaf.Element) []uaf.Tag {
	tags := []uaf.Tag{e.Tag}
	for _, child := range e.Children {
		tags = append(tags, tagsOf(child)...)
	}
	return tags
}

func TestAssertion_ElementRequiredOnceInPlace(t *testing.T) {
	for _, kind := range kinds {
		for _, tag := range tagsOf(kind.make())[1:] {
			missing, twice, unknown, longer, empty := kind.make(), kind.make(), kind.make(), kind.make(), kind.make()
			edit(&missing, tag, func(p *uaf.Element, i int) { p.Children = slices.Delete(p.Children, i, i+1) })
			edit(&twice, tag, func(p *uaf.Element, i int) { p.Children = append(p.Children, p.Children[i]) })
			edit(&unknown, tag, func(p *uaf.Element, i int) { p.Children[i].Tag ^= 0x0100 })
			edit(&longer, tag, func(p *uaf.Element, i int) { p.Children[i].Value = append(p.Children[i].Value, 0) })
			edit(&empty, tag, func(p *uaf.Element, i int) { p.Children[i] = uaf.Element{Tag: tag} })
			repeatable := tag == uaf.TagAttestationCert
			open := repeatable || slices.Contains([]uaf.Tag{
				uaf.TagSignature, uaf.TagPublicKey, uaf.TagKeyID, uaf.TagAuthenticatorNonce,
			}, tag)
			check := func(what string, e uaf.Element, refused bool) {
				if err := kind.parse(encoded(t, e)); (uaf.StatusOf(err) == content) != refused {
					t.Errorf("%s: %s %s: %v", kind.name, tag, what, err)
				}
			}
			check("missing", missing, !repeatable) // there are two
			check("twice", twice, !repeatable)
			check("under another tag", unknown, true)
			check("a byte longer", longer, !open)
			check("empty", empty, tag != uaf.TagTransactionContentHash)
		}
	}
}

func TestAssertion_ElementSizesAndForms(t *testing.T) {
	value := func(tag uaf.Tag, value []byte) func(*uaf.Element) {
		return func(e *uaf.Element) {
			edit(e, tag, func(p *uaf.Element, i int) { p.Children[i].Value = value })
		}
	}
	cases := []struct {
		name   string
		kind   int
		change func(*uaf.Element)
		want   uaf.Status
	}{
		{"KeyID of 31 bytes", 0, value(uaf.TagKeyID, make([]byte, 31)), content},
		{"KeyID of 2048 bytes", 0, value(uaf.TagKeyID, make([]byte, 2048)), uaf.StatusOK},
		{"KeyID of 2049 bytes", 0, value(uaf.TagKeyID, make([]byte, 2049)), content},
		{"hash of 31 bytes", 0, value(uaf.TagFinalChallengeHash, make([]byte, 31)), content},
		{"hash of 20 bytes", 1, value(uaf.TagFinalChallengeHash, make([]byte, 20)), content},
		{"AAID in lower case", 0, value(uaf.TagAAID, []byte("abcd#12ef")), uaf.StatusOK},
		{"AAID without #", 0, value(uaf.TagAAID, []byte("abcd-12ef")), content},
		{"AAID that is not hex", 0, value(uaf.TagAAID, []byte("abcg#12ef")), content},
		{"AAID of 8 bytes", 1, value(uaf.TagAAID, []byte("abc#12ef")), content},
		{"registration info of 5 bytes", 0, value(uaf.TagAssertionInfo, []byte{2, 0, 1, 1, 0}), content},
		{"authentication info of 7 bytes", 1, value(uaf.TagAssertionInfo, []byte{2, 0, 1, 1, 0, 0, 1}), content},
		{"registration in mode 0", 0, value(uaf.TagAssertionInfo, []byte{2, 0, 0, 1, 0, 0, 1}), content},
		{"registration in mode 2", 0, value(uaf.TagAssertionInfo, []byte{2, 0, 2, 1, 0, 0, 1}), content},
		{"authentication in mode 0", 1, value(uaf.TagAssertionInfo, []byte{2, 0, 0, 1, 0}), content},
		{"authentication in mode 3", 1, value(uaf.TagAssertionInfo, []byte{2, 0, 3, 1, 0}), content},
		{"authentication in mode 2 without a hash", 1, value(uaf.TagAssertionInfo, []byte{2, 0, 2, 1, 0}), content},
		{"authentication in mode 1 with a hash", 1, value(uaf.TagTransactionContentHash, make([]byte, 32)), content},
		{"a transaction hash of 31 bytes", 1, value(uaf.TagTransactionContentHash, make([]byte, 31)), content},
		{"registration counters of 4 bytes", 0, value(uaf.TagCounters, make([]byte, 4)), content},
		{"authentication counters of 8 bytes", 1, value(uaf.TagCounters, make([]byte, 8)), content},
		{"nonce of 7 bytes", 1, value(uaf.TagAuthenticatorNonce, make([]byte, 7)), content},
		{"nonce of 64 bytes", 1, value(uaf.TagAuthenticatorNonce, make([]byte, 64)), uaf.StatusOK},
		{"nonce of 65 bytes", 1, value(uaf.TagAuthenticatorNonce, make([]byte, 65)), content},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := kinds[c.kind].make()
			c.change(&e)
			wantStatus(t, kinds[c.kind].parse(encoded(t, e)), c.want)
		})
	}
}

func TestElement_TooLongToEncode(t *testing.T) {
	whole := uaf.Element{Tag: uaf.TagSignature, Value: make([]byte, 1<<16)}
	if _, err := whole.Encode(); err == nil {
		t.Error("65,536 bytes were written under a length of 16 bits")
	}
	half := uaf.Element{Tag: uaf.TagSignature, Value: make([]byte, 1<<15)}
	sum := uaf.Element{Tag: uaf.TagKRD, Children: []uaf.Element{half, half}}
	if _, err := sum.Encode(); err == nil {
		t.Error("children of 65,544 bytes were written under a length of 16 bits")
	}
	outer := uaf.Element{Tag: uaf.TagKRD, Children: []uaf.Element{whole}}
	if _, err := outer.Encode(); err == nil {
		t.Error("a child that cannot be written was")
	}
}

func TestTag_Names(t *testing.T) {
	if got := uaf.TagKRD.String(); got != "KRD" {
		t.Error(got)
	}
	if got := uaf.Tag(0x1234).String(); got != "tag 0x1234" {
		t.Error(got)
	}
}
