package uafserver

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"

	"countersign/internal/uaf"
)

// parseCertificate reads a DER certificate. Its key may be on secp256k1, which
// crypto/x509 refuses to parse.
func parseCertificate(der []byte) (*x509.Certificate, error) {
	certificate, err := x509.ParseCertificate(der)
	if err == nil || !bytes.Contains(der, spkiSecp256k1) {
		return certificate, err
	}
	return parseSecp256k1Certificate(der)
}

// parseSecp256k1Certificate lets crypto/x509 parse a copy with an unknown key algorithm,
// so that it ignores the key. Afterwards it restores the signed bytes and those that
// identify the certificate. PublicKey stays nil.
func parseSecp256k1Certificate(der []byte) (*x509.Certificate, error) {
	var outer struct{ TBS, Algorithm, Signature asn1.RawValue }
	if rest, err := asn1.Unmarshal(der, &outer); err != nil || len(rest) > 0 {
		return nil, asn1.SyntaxError{Msg: "certificate is not a sequence"}
	}
	const algorithmEnd = 12 // of spkiSecp256k1: the last byte of id-ecPublicKey
	at := bytes.Index(der, spkiSecp256k1)
	end := at + len(spkiSecp256k1) + 65
	if bytes.LastIndex(der, spkiSecp256k1) != at || end > len(der) {
		return nil, asn1.SyntaxError{Msg: "certificate with several keys"}
	}
	masked := bytes.Clone(der)
	masked[at+algorithmEnd] = 0x7F
	certificate, err := x509.ParseCertificate(masked)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(certificate.RawSubjectPublicKeyInfo, masked[at:end]) {
		return nil, asn1.SyntaxError{Msg: "certificate whose secp256k1 key is not its own"}
	}
	certificate.Raw, certificate.RawTBSCertificate = der, outer.TBS.FullBytes
	certificate.RawSubjectPublicKeyInfo = der[at:end]
	return certificate, nil
}

// checkIssuedBy verifies child's signature with parent's key.
func checkIssuedBy(child, parent *x509.Certificate) error {
	if !bytes.HasPrefix(parent.RawSubjectPublicKeyInfo, spkiSecp256k1) {
		return parent.CheckSignature(child.SignatureAlgorithm, child.RawTBSCertificate, child.Signature)
	}
	if child.SignatureAlgorithm != x509.ECDSAWithSHA256 {
		return x509.ErrUnsupportedAlgorithm
	}
	key, err := parseSPKI(parent.RawSubjectPublicKeyInfo, keySecp256k1)
	if err != nil {
		return err
	}
	return key.verify(uaf.AlgorithmSecp256k1DER, child.RawTBSCertificate, child.Signature)
}
