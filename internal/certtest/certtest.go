// Package certtest makes certificates for tests.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
)

// Pair returns a certificate that is signed by its own key, and the key, both in PEM. The
// certificate has what template says, and a serial number.
func Pair(t testing.TB, template x509.Certificate) (certificate, key string) {
	t.Helper()
	return issue(t, template, nil)
}

// Issued returns such a pair whose certificate is signed by another pair of this package.
func Issued(t testing.TB, template x509.Certificate, issuer, issuerKey string) (certificate, key string) {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(issuer), []byte(issuerKey))
	if err != nil {
		t.Fatal(err)
	}
	return issue(t, template, &pair)
}

// issue signs by the issuer, or by the certificate's own key if it is nil.
func issue(t testing.TB, template x509.Certificate, issuer *tls.Certificate) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(1)
	if issuer == nil {
		issuer = &tls.Certificate{Leaf: &template, PrivateKey: private}
	}
	made, err := x509.CreateCertificate(rand.Reader, &template, issuer.Leaf, private.Public(), issuer.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: made})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
}
