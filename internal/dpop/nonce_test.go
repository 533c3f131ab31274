package dpop_test

import (
	"crypto/elliptic"
	"strings"
	"testing"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/seal"
	"countersign/internal/seal/sealtest"
)

func nonces(t testing.TB, keys ...byte) *dpop.Nonces {
	t.Helper()
	var all [][]byte
	for _, key := range keys {
		all = append(all, []byte(strings.Repeat(string(rune(key)), seal.KeyLength)))
	}
	sealed := sealtest.Keys(all...)
	return dpop.NewNonces(sealed)
}

// A nonce that was made under a key that is no more is not handed out again.
func TestNonces_ReplacedKey(t *testing.T) {
	t.Parallel()
	old, young := []byte(strings.Repeat("a", seal.KeyLength)), []byte(strings.Repeat("b", seal.KeyLength))
	keys := sealtest.Keys(old)
	n := dpop.NewNonces(keys)
	before := n.Newest(noon)
	if err := keys.Replace(young); err != nil {
		t.Fatal(err)
	}
	if after := n.Newest(noon); after == before || !n.Good(after, noon) || n.Good(before, noon) {
		t.Error("the nonce is the old key's")
	}
}

func TestNonces_OfSeveralNodes(t *testing.T) {
	t.Parallel()
	one, other, rotated := nonces(t, 'a'), nonces(t, 'a'), nonces(t, 'b', 'a')
	if one.Newest(noon) != other.Newest(noon) {
		t.Error("two nodes have two nonces")
	}
	if one.Newest(noon) == rotated.Newest(noon) || !rotated.Good(one.Newest(noon), noon) || one.Good(rotated.Newest(noon), noon) {
		t.Error("a nonce is not its key's")
	}
	nonce := one.Newest(noon)
	for after, good := range map[time.Duration]bool{
		0: true, 299 * time.Second: true, 300 * time.Second: true, 599 * time.Second: true, 600 * time.Second: false, time.Hour: false,
		-30 * time.Second: true, -61 * time.Second: false, // another node's clock is ahead
	} {
		if other.Good(nonce, noon.Add(after)) != good {
			t.Errorf("after %v: good %v, want %v", after, !good, good)
		}
	}
	if one.Newest(noon.Add(299*time.Second)) != nonce || one.Newest(noon.Add(300*time.Second)) == nonce {
		t.Error("there is not a new one every five minutes")
	}
	for _, wrong := range []string{"", "x", nonce + "A", nonce[1:], strings.Repeat("A", len(nonce))} {
		if one.Good(wrong, noon) {
			t.Errorf("%q is good", wrong)
		}
	}

	v, s := verifier(t, one), elliptical(t, "ES256", elliptic.P256())
	for name, wrong := range map[string]any{"none": nil, "empty": "", "another's": "abc", "an old one": one.Newest(noon.Add(-10 * time.Minute))} {
		_, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), with(good(), "nonce", wrong))), token)
		if err == nil {
			t.Fatalf("%s: taken", name)
		}
		refused(t, err, dpop.UseNonce)
	}
	for _, right := range []string{v.Nonce(), one.Newest(noon.Add(-5 * time.Minute))} {
		if _, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), with(good(), "nonce", right))), token); err != nil {
			t.Error(err)
		}
	}
	_, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), with(with(good(), "nonce", ""), "htm", "PUT"))), token)
	refused(t, err, dpop.InvalidProof) // a new nonce would not help
}
