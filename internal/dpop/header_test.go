package dpop_test

import (
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/dpop"
)

func TestVerify_EveryAlgorithm(t *testing.T) {
	t.Parallel()
	v := verifier(t, nil)
	for _, s := range []signer{
		elliptical(t, "ES256", elliptic.P256()), elliptical(t, "ES384", elliptic.P384()), edwards(t, "EdDSA"), edwards(t, "Ed25519"), rivest(t, "PS256", 2048),
	} {
		if !strings.Contains(dpop.Algorithms+" ", s.algorithm+" ") {
			t.Errorf("%s is not listed", s.algorithm)
		}
		var before dpop.Proof
		for range 2 { // read, then remembered
			proof, err := v.Verify(request("GET", "/session", s.jwt(t, s.header(), good())), token)
			if err != nil || proof.ID != "a jti" || proof.Key == (dpop.Thumbprint{}) {
				t.Fatalf("%s: %v, %v", s.algorithm, proof, err)
			}
			if before != (dpop.Proof{}) && proof != before {
				t.Errorf("%s: the key is another now", s.algorithm)
			}
			before = proof
		}
		forged := s.jwt(t, s.header(), good())
		other := s.jwt(t, s.header(), with(good(), "jti", "another"))
		forged = forged[:strings.LastIndex(forged, ".")] + other[strings.LastIndex(other, "."):]
		_, err := v.Verify(request("GET", "/session", forged), token)
		refused(t, err, dpop.InvalidProof)
	}
}

// The thumbprint is the SHA-256 of the members that RFC 7638, 3.2 names, in their order;
// no other member counts.
func TestThumbprint_RequiredMembersOnly(t *testing.T) {
	s := elliptical(t, "ES256", elliptic.P256())
	x, y := s.jwk["x"], s.jwk["y"]
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, x, y))
	header := s.header()
	header["jwk"] = map[string]any{"y": y, "kid": "a name", "x": x, "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "ext": true, "key_ops": []string{"verify"}}
	proof, err := verifier(t, nil).Verify(request("GET", "/session", s.jwt(t, header, good())), token)
	if err != nil || proof.Key != sum {
		t.Errorf("%x, %v, want %x", proof.Key, err, sum)
	}
}

func TestHeader_Refused(t *testing.T) {
	t.Parallel()
	v, s := verifier(t, nil), elliptical(t, "ES256", elliptic.P256())
	jwk := func(name string, value any) map[string]any { return with(s.header(), "jwk", with(s.jwk, name, value)) }
	p384, p521, small, huge := elliptical(t, "ES256", elliptic.P384()), elliptical(t, "ES512", elliptic.P521()), rivest(t, "PS256", 2040), rivest(t, "PS256", 4104)
	raw, err := json.Marshal(s.jwk)
	if err != nil {
		t.Fatal(err)
	}
	secret := signer{"HS256", map[string]any{"kty": "oct", "k": text([]byte(token))}, func(input []byte) []byte {
		mac := hmac.New(sha256.New, []byte(token))
		mac.Write(input)
		return mac.Sum(nil)
	}}
	for name, proof := range map[string]string{
		"no typ":                  s.jwt(t, with(s.header(), "typ", nil), good()),
		"another typ":             s.jwt(t, with(s.header(), "typ", "JWT"), good()),
		"typ in capitals":         s.jwt(t, with(s.header(), "typ", "DPOP+JWT"), good()),
		"typ as a list":           s.jwt(t, with(s.header(), "typ", []string{"dpop+jwt"}), good()),
		"no alg":                  s.jwt(t, with(s.header(), "alg", nil), good()),
		"alg none":                s.jwt(t, with(s.header(), "alg", "none"), good()),
		"alg None, no signature":  strings.TrimRight(s.jwt(t, with(s.header(), "alg", "None"), good()), "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
		"alg in lower case":       s.jwt(t, with(s.header(), "alg", "es256"), good()),
		"HMAC":                    secret.jwt(t, secret.header(), good()),
		"HMAC, with a public key": secret.jwt(t, with(s.header(), "alg", "HS256"), good()),
		"RS256":                   rivest(t, "RS256", 2048).jwt(t, rivest(t, "RS256", 2048).header(), good()),
		"ES512":                   p521.jwt(t, p521.header(), good()),
		"a short RSA key":         small.jwt(t, small.header(), good()),
		"a long RSA key":          huge.jwt(t, huge.header(), good()),
		"ES256 with P-384":        p384.jwt(t, p384.header(), good()),
		"ES384 with P-256":        s.jwt(t, with(s.header(), "alg", "ES384"), good()),
		"EdDSA with P-256":        s.jwt(t, with(s.header(), "alg", "EdDSA"), good()),
		"PS256 with P-256":        s.jwt(t, with(s.header(), "alg", "PS256"), good()),
		"no jwk":                  s.jwt(t, with(s.header(), "jwk", nil), good()),
		"jwk null":                s.jwt(t, `{"typ":"dpop+jwt","alg":"ES256","jwk":null}`, good()),
		"jwk as a text":           s.jwt(t, with(s.header(), "jwk", string(raw)), good()),
		"an empty jwk":            s.jwt(t, with(s.header(), "jwk", map[string]any{}), good()),
		"a private jwk":           s.jwt(t, jwk("d", text(make([]byte, 32))), good()),
		"an empty private member": s.jwt(t, jwk("d", ""), good()),
		"a private null":          s.jwt(t, `{"typ":"dpop+jwt","alg":"ES256","jwk":`+strings.Replace(string(raw), "{", `{"d":null,`, 1)+`}`, good()),
		"a secret member":         s.jwt(t, jwk("k", "AAAA"), good()),
		"a factor":                s.jwt(t, jwk("p", "AAAA"), good()),
		"a point off the curve":   s.jwt(t, jwk("x", text(make([]byte, 32))), good()),
		"a short coordinate":      s.jwt(t, jwk("x", "AAAA"), good()),
		"another curve":           s.jwt(t, jwk("crv", "P-384"), good()),
		"another kind":            s.jwt(t, jwk("kty", "RSA"), good()),
		"for encryption":          s.jwt(t, jwk("use", "enc"), good()),
		"for another algorithm":   s.jwt(t, jwk("alg", "ES384"), good()),
		"crit":                    s.jwt(t, with(with(s.header(), "crit", []string{"exp"}), "exp", 1), good()),
		"an empty crit":           s.jwt(t, with(s.header(), "crit", []string{}), good()),
		"crit b64":                s.jwt(t, with(with(s.header(), "crit", []string{"b64"}), "b64", true), good()),
		"b64":                     s.jwt(t, with(s.header(), "b64", false), good()),
		"typ twice":               s.jwt(t, `{"typ":"JWT","typ":"dpop+jwt","alg":"ES256","jwk":`+string(raw)+`}`, good()),
		"jwk twice":               s.jwt(t, `{"typ":"dpop+jwt","alg":"ES256","jwk":`+string(raw)+`,"jwk":`+string(raw)+`}`, good()),
		"kty twice":               s.jwt(t, `{"typ":"dpop+jwt","alg":"ES256","jwk":`+strings.Replace(string(raw), "{", `{"kty":"EC",`, 1)+`}`, good()),
		"names in capitals":       s.jwt(t, `{"TYP":"dpop+jwt","ALG":"ES256","JWK":`+string(raw)+`}`, good()),
		"a header of no object":   s.jwt(t, `[]`, good()),
		"garbage after the JSON":  s.jwt(t, `{"typ":"dpop+jwt","alg":"ES256","jwk":`+string(raw)+`}{}`, good()),
	} {
		_, err := v.Verify(request("GET", "/session", proof), token)
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		refused(t, err, dpop.InvalidProof)
	}
}

func TestProof_Spellings(t *testing.T) {
	t.Parallel()
	v, s := verifier(t, nil), elliptical(t, "ES256", elliptic.P256())
	proof := s.jwt(t, s.header(), good())
	parts := strings.Split(proof, ".")
	long := s.jwt(t, s.header(), with(good(), "filler", strings.Repeat("x", 6<<10)))
	for name, tt := range map[string]struct {
		proofs []string
		good   bool
	}{
		"as it is":            {[]string{proof}, true},
		"none":                {nil, false},
		"an empty one":        {[]string{""}, false},
		"two":                 {[]string{proof, proof}, false},
		"two in one header":   {[]string{proof + ", " + proof}, false},
		"one and an empty":    {[]string{proof, ""}, false},
		"a part more":         {[]string{proof + "."}, false},
		"a part less":         {[]string{parts[0] + "." + parts[1]}, false},
		"garbage after it":    {[]string{proof + "A"}, false},
		"a space after it":    {[]string{proof + " x"}, false},
		"padding":             {[]string{proof + "=="}, false},
		"trailing bits":       {[]string{proof[:len(proof)-1] + next(proof[len(proof)-1])}, false},
		"detached":            {[]string{parts[0] + ".." + parts[2]}, false},
		"the JSON form":       {[]string{`{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`}, false},
		"up to 8 KiB":         {[]string{long[:0] + s.jwt(t, s.header(), with(good(), "filler", strings.Repeat("x", 5<<10)))}, true},
		"more than 8 KiB":     {[]string{long}, false},
		"an empty signature":  {[]string{parts[0] + "." + parts[1] + "."}, false},
		"a signature in ASN1": {[]string{parts[0] + "." + parts[1] + "." + text([]byte{0x30, 6, 2, 1, 1, 2, 1, 1})}, false},
		"a zero signature":    {[]string{parts[0] + "." + parts[1] + "." + text(make([]byte, 64))}, false},
	} {
		_, err := v.Verify(request("GET", "/session", tt.proofs...), token)
		if (err == nil) != tt.good {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), parts[2][:8]) {
			t.Errorf("%s: the error repeats the proof: %v", name, err)
		}
	}
}

// next returns the next digit of base64url, which differs in the last bits.
func next(digit byte) string {
	digits := "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(digits[strings.IndexByte(digits, digit)+1])
}
