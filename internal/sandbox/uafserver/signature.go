package uafserver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1 "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"countersign/internal/uaf"
)

var errSignature = errors.New("the signature does not verify")

// verify verifies signature over SHA-256 of message. The key has been parsed for the
// algorithm, so its type fits.
func (k publicKey) verify(algorithm uaf.SignatureAlgorithm, message, signature []byte) error {
	if algorithm == uaf.AlgorithmPSSDER || algorithm == uaf.AlgorithmPKCS1DER { // in an OCTET STRING
		var content []byte
		if err := unmarshalDER(signature, &content); err != nil {
			return err
		}
		signature = content
	}
	digest := sha256.Sum256(message)
	switch algorithm {
	case uaf.AlgorithmP256Raw, uaf.AlgorithmSecp256k1Raw:
		return k.verifyRaw(digest[:], signature)
	case uaf.AlgorithmP256DER:
		return verdict(ecdsa.VerifyASN1(k.p256, digest[:], signature))
	case uaf.AlgorithmSecp256k1DER:
		return k.verifySecp256k1DER(digest[:], signature)
	case uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER:
		options := &rsa.PSSOptions{SaltLength: sha256.Size, Hash: crypto.SHA256}
		return rsa.VerifyPSS(k.rsa, crypto.SHA256, digest[:], signature, options)
	case uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPKCS1DER:
		return rsa.VerifyPKCS1v15(k.rsa, crypto.SHA256, digest[:], signature)
	}
	return errSignature
}

func (k publicKey) verifyRaw(digest, signature []byte) error {
	if len(signature) != 64 {
		return errSignature
	}
	r, s := signature[:32], signature[32:]
	if k.secp256k1 != nil {
		return k.verifySecp256k1(digest, r, s)
	}
	return verdict(ecdsa.Verify(k.p256, digest, new(big.Int).SetBytes(r), new(big.Int).SetBytes(s)))
}

func (k publicKey) verifySecp256k1DER(digest, signature []byte) error {
	var pair struct{ R, S *big.Int }
	if err := unmarshalDER(signature, &pair); err != nil {
		return err
	}
	if pair.R.Sign() < 0 || pair.S.Sign() < 0 || pair.R.BitLen() > 256 || pair.S.BitLen() > 256 {
		return errSignature
	}
	return k.verifySecp256k1(digest, pair.R.Bytes(), pair.S.Bytes())
}

func (k publicKey) verifySecp256k1(digest, r, s []byte) error {
	var rs, ss secp256k1.ModNScalar
	if rs.SetByteSlice(r) || ss.SetByteSlice(s) || rs.IsZero() || ss.IsZero() {
		return errSignature
	}
	return verdict(k1.NewSignature(&rs, &ss).Verify(digest, k.secp256k1))
}

func verdict(valid bool) error {
	if valid {
		return nil
	}
	return errSignature
}
