package uafserver_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"math/big"
	"slices"
	"testing"
	"time"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// attested is a registration whose attestation the test composes.
type attested struct {
	t     *testing.T
	root  *softuaf.Authority
	roots []string
	now   time.Time
	// algorithm is the attestation key's.
	algorithm uaf.SignatureAlgorithm
	chain     func(root *softuaf.Authority) (*softuaf.Signer, [][]byte)
}

func (a attested) register() error {
	a.t.Helper()
	authenticator, server := pair(a.t, softuaf.Options{
		Algorithm: uaf.AlgorithmP256Raw, Attestation: uaf.TagAttestationFull, AttestationAlgorithm: a.algorithm, Root: a.root,
	}, put("attestationRootCertificates", a.roots))
	if a.roots == nil {
		authenticator, server = pair(a.t, authenticator.Options, nil)
	}
	signer, chain := a.chain(a.root)
	authenticator.Attest(signer, chain...)
	if !a.now.IsZero() {
		server.now = a.now
	}
	return registerWith(a.t, authenticator, server)
}

func leaf(t *testing.T, authority *softuaf.Authority, algorithm uaf.SignatureAlgorithm, edit func(*x509.Certificate)) (*softuaf.Signer, []byte) {
	t.Helper()
	signer, der, err := authority.NewLeaf(algorithm, softuaf.Epoch(), edit)
	if err != nil {
		t.Fatal(err)
	}
	return signer, der
}

func intermediate(t *testing.T, authority *softuaf.Authority, algorithm uaf.SignatureAlgorithm, edit func(*x509.Certificate)) *softuaf.Authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Attestation CA"},
		NotBefore: softuaf.Epoch().AddDate(0, 0, -1), NotAfter: softuaf.Epoch().AddDate(10, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	if edit != nil {
		edit(template)
	}
	made, err := softuaf.NewAuthority(authority, algorithm, template)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func newRoot(t *testing.T, algorithm uaf.SignatureAlgorithm) *softuaf.Authority {
	t.Helper()
	root, err := softuaf.NewRoot(algorithm, softuaf.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func encodeDER(der []byte) string { return base64.StdEncoding.EncodeToString(der) }

// Every kind of root, with a chain that is right, superfluous, missing or in disorder.
func TestChain_EveryRootKind(t *testing.T) {
	for _, algorithm := range []uaf.SignatureAlgorithm{uaf.AlgorithmP256DER, uaf.AlgorithmSecp256k1DER} {
		root, outsider := newRoot(t, algorithm), newRoot(t, algorithm)
		ca := intermediate(t, root, algorithm, nil)
		second := intermediate(t, ca, algorithm, func(c *x509.Certificate) { c.Subject.CommonName = "Second CA" })
		signer, direct := leaf(t, root, algorithm, nil)
		viaSigner, via := leaf(t, ca, algorithm, nil)
		deepSigner, deep := leaf(t, second, algorithm, nil)
		foreignSigner, foreign := leaf(t, outsider, algorithm, nil)
		cases := []struct {
			name   string
			signer *softuaf.Signer
			chain  [][]byte
			want   uaf.Status
		}{
			{"the leaf alone", signer, [][]byte{direct}, uaf.StatusOK},
			{"leaf and root", signer, [][]byte{direct, root.DER}, uaf.StatusOK},
			{"leaf and intermediate", viaSigner, [][]byte{via, ca.DER}, uaf.StatusOK},
			{"leaf, intermediate and root", viaSigner, [][]byte{via, ca.DER, root.DER}, uaf.StatusOK},
			{"two intermediates", deepSigner, [][]byte{deep, second.DER, ca.DER}, uaf.StatusOK},
			{"two intermediates and the root", deepSigner, [][]byte{deep, second.DER, ca.DER, root.DER}, uaf.StatusOK},
			{"the intermediate is missing", viaSigner, [][]byte{via}, uaf.StatusUnacceptableAttestation},
			{"the intermediate is missing, the root there", viaSigner, [][]byte{via, root.DER}, uaf.StatusUnacceptableAttestation},
			{"one of two is missing", deepSigner, [][]byte{deep, second.DER}, uaf.StatusUnacceptableAttestation},
			{"in disorder", deepSigner, [][]byte{deep, ca.DER, second.DER}, uaf.StatusUnacceptableAttestation},
			{"the leaf last", viaSigner, [][]byte{ca.DER, via}, uaf.StatusUnacceptableAttestation},
			{"one too many in the middle", signer, [][]byte{direct, ca.DER, root.DER}, uaf.StatusUnacceptableAttestation},
			{"one too many at the end", signer, [][]byte{direct, root.DER, outsider.DER}, uaf.StatusUnacceptableAttestation},
			{"the root twice", signer, [][]byte{direct, root.DER, root.DER}, uaf.StatusUnacceptableAttestation},
			{"the leaf twice", signer, [][]byte{direct, direct}, uaf.StatusUnacceptableAttestation},
			{"an outsider's leaf", foreignSigner, [][]byte{foreign}, uaf.StatusUnacceptableAttestation},
			{"an outsider's leaf and root", foreignSigner, [][]byte{foreign, outsider.DER}, uaf.StatusUnacceptableAttestation},
			{"another key than the leaf's", viaSigner, [][]byte{direct}, uaf.StatusUnacceptableAttestation},
			{"no certificate", signer, [][]byte{[]byte("not DER")}, uaf.StatusUnacceptableAttestation},
			{"bytes after the certificate", signer, [][]byte{append(slices.Clone(direct), 0)}, uaf.StatusUnacceptableAttestation},
			{"a certificate cut off", signer, [][]byte{direct[:len(direct)-1]}, uaf.StatusUnacceptableAttestation},
			{"a certificate whose signature is changed", signer, [][]byte{flipped(direct)}, uaf.StatusUnacceptableAttestation},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				a := attested{t: t, root: root, algorithm: algorithm, chain: func(*softuaf.Authority) (*softuaf.Signer, [][]byte) {
					return c.signer, c.chain
				}}
				wantStatus(t, a.register(), c.want)
			})
		}
	}
}

func flipped(der []byte) []byte {
	out := slices.Clone(der)
	out[len(out)-3] ^= 1
	return out
}

// The rules of path validation for each certificate.
func TestCertificate_PathValidation(t *testing.T) {
	day := 24 * time.Hour
	critical := func(id ...int) func(*x509.Certificate) {
		return func(c *x509.Certificate) {
			c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{Id: id, Critical: true, Value: []byte{5, 0}})
		}
	}
	cases := []struct {
		name     string
		ca, leaf func(*x509.Certificate)
		now      time.Time
		want     uaf.Status
	}{
		{"as it should be", nil, nil, time.Time{}, uaf.StatusOK},
		{"before anything is valid", nil, nil, softuaf.Epoch().Add(-2 * day), uaf.StatusUnacceptableAttestation},
		{"after everything is", nil, nil, softuaf.Epoch().AddDate(11, 0, 0), uaf.StatusUnacceptableAttestation},
		{"the leaf has expired", nil, func(c *x509.Certificate) { c.NotAfter = softuaf.Epoch().Add(-time.Hour) }, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"the leaf is not valid yet", nil, func(c *x509.Certificate) { c.NotBefore = softuaf.Epoch().Add(time.Hour) }, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"the intermediate has expired", func(c *x509.Certificate) { c.NotAfter = softuaf.Epoch().Add(-time.Hour) }, nil, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"the intermediate is no authority", func(c *x509.Certificate) { c.IsCA = false }, nil, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"the intermediate has no basic constraints", func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = false, false }, nil, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"the intermediate may not sign", func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageDigitalSignature }, nil, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"the intermediate may have no authority below", func(c *x509.Certificate) { c.MaxPathLenZero = true }, nil, time.Time{}, uaf.StatusOK},
		{"the leaf is an authority too", nil, func(c *x509.Certificate) { c.IsCA, c.BasicConstraintsValid = true, true }, time.Time{}, uaf.StatusOK},
		{"an extended use of the leaf", nil, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }, time.Time{}, uaf.StatusOK},
		{"a critical extension of the leaf", nil, critical(1, 2, 3, 4), time.Time{}, uaf.StatusUnacceptableAttestation},
		{"a critical extension of the intermediate", critical(1, 2, 3, 4), nil, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"constraints of names", func(c *x509.Certificate) {
			c.PermittedDNSDomainsCritical, c.PermittedDNSDomains = true, []string{"example.com"}
		}, nil, time.Time{}, uaf.StatusUnacceptableAttestation},
		{"an extension that is not critical", nil, func(c *x509.Certificate) {
			c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 2, 3, 4}, Value: []byte{5, 0}}}
		}, time.Time{}, uaf.StatusOK},
	}
	root := newRoot(t, uaf.AlgorithmPKCS1Raw)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := attested{t: t, root: root, algorithm: uaf.AlgorithmP256Raw, now: c.now,
				chain: func(root *softuaf.Authority) (*softuaf.Signer, [][]byte) {
					ca := intermediate(t, root, uaf.AlgorithmP256DER, c.ca)
					signer, der := leaf(t, ca, uaf.AlgorithmP256Raw, c.leaf)
					return signer, [][]byte{der, ca.DER}
				}}
			wantStatus(t, a.register(), c.want)
		})
	}
}

func TestChain_PathLength(t *testing.T) {
	root := newRoot(t, uaf.AlgorithmP256DER)
	for limit, want := range []uaf.Status{uaf.StatusUnacceptableAttestation, uaf.StatusOK, uaf.StatusOK} {
		a := attested{t: t, root: root, algorithm: uaf.AlgorithmP256Raw,
			chain: func(root *softuaf.Authority) (*softuaf.Signer, [][]byte) {
				upper := intermediate(t, root, uaf.AlgorithmP256DER, func(c *x509.Certificate) {
					c.MaxPathLen, c.MaxPathLenZero = limit, limit == 0
				})
				lower := intermediate(t, upper, uaf.AlgorithmP256DER, nil)
				signer, der := leaf(t, lower, uaf.AlgorithmP256Raw, nil)
				return signer, [][]byte{der, lower.DER, upper.DER}
			}}
		wantStatus(t, a.register(), want)
	}
}

// A trust anchor may be any certificate of the path, and one of several.
func TestChain_TrustAnchors(t *testing.T) {
	root, other := newRoot(t, uaf.AlgorithmP256DER), newRoot(t, uaf.AlgorithmP256DER)
	ca := intermediate(t, root, uaf.AlgorithmSecp256k1DER, nil)
	signer, der := leaf(t, ca, uaf.AlgorithmSecp256k1Raw, nil)
	cases := []struct {
		name  string
		roots [][]byte
		chain [][]byte
		want  uaf.Status
	}{
		{"one of several", [][]byte{other.DER, root.DER}, [][]byte{der, ca.DER}, uaf.StatusOK},
		{"two of one name", [][]byte{other.DER, root.DER}, [][]byte{der, ca.DER, root.DER}, uaf.StatusOK},
		{"an intermediate, not sent", [][]byte{ca.DER}, [][]byte{der}, uaf.StatusOK},
		{"an intermediate, sent", [][]byte{ca.DER}, [][]byte{der, ca.DER}, uaf.StatusOK},
		{"an intermediate, and more sent", [][]byte{ca.DER}, [][]byte{der, ca.DER, root.DER}, uaf.StatusUnacceptableAttestation},
		{"the leaf", [][]byte{der}, [][]byte{der}, uaf.StatusOK},
		{"only another", [][]byte{other.DER}, [][]byte{der, ca.DER}, uaf.StatusUnacceptableAttestation},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var roots []string
			for _, one := range c.roots {
				roots = append(roots, encodeDER(one))
			}
			a := attested{t: t, root: root, roots: roots, algorithm: uaf.AlgorithmSecp256k1Raw,
				chain: func(*softuaf.Authority) (*softuaf.Signer, [][]byte) { return signer, c.chain }}
			wantStatus(t, a.register(), c.want)
		})
	}
}
