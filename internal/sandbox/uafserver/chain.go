package uafserver

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"time"

	"countersign/internal/uaf"
)

// verifyChain follows an attestation's certificates, leaf first, to one of the roots and
// returns the leaf. It validates the path as it was sent
// (RFC 5280, section 6.1): crypto/x509 searches for a path, overlooks superfluous
// certificates and does not support secp256k1.
//
// A root is a trust anchor: a certificate authority, an intermediate one, or the
// leaf itself (FIDO metadata statement, attestationRootCertificates). The last
// certificate sent may be the root.
func verifyChain(sent [][]byte, roots []*x509.Certificate, now time.Time) (*x509.Certificate, error) {
	path := make([]*x509.Certificate, 0, len(sent)+1)
	for _, der := range sent {
		certificate, err := parseCertificate(der)
		if err != nil {
			return nil, refuseCause(uaf.StatusUnacceptableAttestation, err, "attestation certificate")
		}
		path = append(path, certificate)
	}
	anchor := slices.IndexFunc(path, func(c *x509.Certificate) bool { return slices.ContainsFunc(roots, c.Equal) })
	switch {
	case anchor == len(path)-1:
		return path[0], checkPath(path, now)
	case anchor >= 0:
		return nil, refuse(uaf.StatusUnacceptableAttestation, "an attestation certificate follows the root")
	}
	refusal := refuse(uaf.StatusUnacceptableAttestation, "the attestation certificates lead to no root of the metadata")
	for _, root := range roots {
		if !bytes.Equal(root.RawSubject, path[len(path)-1].RawIssuer) {
			continue
		}
		if refusal = checkPath(append(path, root), now); refusal == nil {
			return path[0], nil
		}
	}
	return nil, refusal
}

// checkPath checks each certificate of a path by its issuer, from the trust anchor down,
// so that each key is trusted before it is used.
func checkPath(path []*x509.Certificate, now time.Time) error {
	for depth, certificate := range slices.Backward(path) {
		anchor := depth == len(path)-1
		if err := checkCertificate(certificate, now); err != nil {
			return err
		}
		if depth > 0 {
			if err := checkAuthority(certificate, depth-1, anchor); err != nil {
				return err
			}
		}
		if anchor {
			continue
		}
		parent := path[depth+1]
		if !bytes.Equal(certificate.RawIssuer, parent.RawSubject) {
			return refuse(uaf.StatusUnacceptableAttestation, "attestation certificate %d was not issued by the next", depth)
		}
		if err := checkIssuedBy(certificate, parent); err != nil {
			return refuseCause(uaf.StatusUnacceptableAttestation, err, "attestation certificate %d", depth)
		}
	}
	return nil
}

// handledExtensions may be critical: a certificate with any other critical
// extension is refused. The last three are not evaluated: names, extended uses
// and policies are not constrained here.
var handledExtensions = []asn1.ObjectIdentifier{
	{2, 5, 29, 15}, // key usage
	{2, 5, 29, 19}, // basic constraints
	{2, 5, 29, 17}, // subject alternative name
	{2, 5, 29, 32}, // certificate policies
	{2, 5, 29, 37}, // extended key usage
}

func checkCertificate(certificate *x509.Certificate, now time.Time) error {
	if now.Before(certificate.NotBefore) || now.After(certificate.NotAfter) {
		return refuse(uaf.StatusUnacceptableAttestation, "an attestation certificate is not valid now")
	}
	for _, extension := range certificate.Extensions {
		if extension.Critical && !slices.ContainsFunc(handledExtensions, extension.Id.Equal) {
			return refuse(uaf.StatusUnacceptableAttestation, "critical certificate extension %s", extension.Id)
		}
	}
	return nil
}

// checkAuthority checks that a certificate may issue others; below is the number
// of intermediate certificates between it and the leaf. A trust anchor may lack
// basic constraints, as old roots do, but must not deny that it is an authority.
func checkAuthority(certificate *x509.Certificate, below int, anchor bool) error {
	switch {
	case certificate.BasicConstraintsValid && !certificate.IsCA,
		!certificate.BasicConstraintsValid && !anchor:
		return refuse(uaf.StatusUnacceptableAttestation, "an attestation certificate was issued by no authority")
	case certificate.KeyUsage != 0 && certificate.KeyUsage&x509.KeyUsageCertSign == 0:
		return refuse(uaf.StatusUnacceptableAttestation, "an authority's key may not sign certificates")
	case certificate.BasicConstraintsValid && certificate.MaxPathLen >= 0 && below > certificate.MaxPathLen:
		return refuse(uaf.StatusUnacceptableAttestation, "the attestation's chain is longer than an authority allows")
	}
	return nil
}
