package uaf_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/asn1"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1 "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// BenchmarkRegistration parses and verifies a registration assertion, base64url
// decoding included, and states as "x-bare" how many times as long it takes as
// verifying one signature of its algorithm with the library alone, hashing
// included. The two take turns, so that a busy machine slows both. The budget is
// 1.5 for P-256, algorithms 1 and 2.
//
// "first" is the first registration with an attestation certificate: there are
// two signatures to verify, and two certificates to parse. The chain is
// remembered then.
func BenchmarkRegistration(b *testing.B) {
	for _, algorithm := range algorithms {
		b.Run(fmt.Sprintf("%d/surrogate", algorithm), func(b *testing.B) {
			compare(b, algorithm, uaf.TagAttestationSurrogate, false)
		})
		b.Run(fmt.Sprintf("%d/full", algorithm), func(b *testing.B) {
			compare(b, algorithm, uaf.TagAttestationFull, false)
		})
		b.Run(fmt.Sprintf("%d/full-first", algorithm), func(b *testing.B) {
			compare(b, algorithm, uaf.TagAttestationFull, true)
		})
	}
}

func compare(b *testing.B, algorithm uaf.SignatureAlgorithm, attestation uaf.Tag, first bool) {
	b.Helper()
	authenticator, server := pair(b, softuaf.Options{Algorithm: algorithm, Attestation: attestation}, nil)
	text, err := authenticator.Register(server.registrationRequest())
	if err != nil {
		b.Fatal(err)
	}
	response, err := uaf.ParseRegistrationResponse(text)
	if err != nil {
		b.Fatal(err)
	}
	document, err := authenticator.Metadata(nil)
	if err != nil {
		b.Fatal(err)
	}
	ctx := &uaf.RegistrationContext{Expectation: server.expectation(), Now: server.now}
	bare := bareVerification(b, algorithm)
	var ours, theirs []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		if first {
			if ctx.Metadata, err = uaf.ParseMetadata(document); err != nil {
				b.Fatal(err)
			}
		}
		began := time.Now()
		if _, err := uaf.VerifyRegistration(response.Assertions[0], response.FCParams, ctx); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if !bare() {
			b.Fatal("the signature does not verify")
		}
		ours, theirs = append(ours, between.Sub(began)), append(theirs, time.Since(between))
	}
	b.ReportMetric(median(ours), "ns/registration")
	b.ReportMetric(median(theirs), "ns/bare")
	b.ReportMetric(median(ours)/median(theirs), "x-bare")
}

// median returns the median in nanoseconds, which the machine's other work does not move.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds())
}

// bareVerification verifies a surrogate assertion's signature, with hashing, without this
// package.
func bareVerification(b testing.TB, algorithm uaf.SignatureAlgorithm) func() bool {
	b.Helper()
	authenticator, server := pair(b, softuaf.Options{Algorithm: algorithm}, nil)
	text, err := authenticator.Register(server.registrationRequest())
	if err != nil {
		b.Fatal(err)
	}
	response, err := uaf.ParseRegistrationResponse(text)
	if err != nil {
		b.Fatal(err)
	}
	parsed := parseAssertion(b, response.Assertions[0])
	message, signature := parsed.Signed, parsed.Attestation.Signature
	if algorithm == uaf.AlgorithmPSSDER || algorithm == uaf.AlgorithmPKCS1DER {
		if _, err := asn1.Unmarshal(signature, &signature); err != nil {
			b.Fatal(err)
		}
	}
	switch algorithm {
	case uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER:
		return bareP256(b, parsed.PublicKey, message, signature, algorithm == uaf.AlgorithmP256Raw)
	case uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER:
		return bareSecp256k1(b, parsed.PublicKey, message, signature, algorithm == uaf.AlgorithmSecp256k1Raw)
	}
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(parsed.PublicKey[:256]), E: 65537}
	pss := algorithm == uaf.AlgorithmPSSRaw || algorithm == uaf.AlgorithmPSSDER
	return func() bool {
		digest := sha256.Sum256(message)
		if pss {
			return rsa.VerifyPSS(key, crypto.SHA256, digest[:], signature, nil) == nil
		}
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}
}

func bareP256(b testing.TB, point, message, signature []byte, raw bool) func() bool {
	b.Helper()
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		b.Fatal(err)
	}
	if raw {
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return func() bool {
			digest := sha256.Sum256(message)
			return ecdsa.Verify(key, digest[:], r, s)
		}
	}
	return func() bool {
		digest := sha256.Sum256(message)
		return ecdsa.VerifyASN1(key, digest[:], signature)
	}
}

func bareSecp256k1(b testing.TB, point, message, signature []byte, raw bool) func() bool {
	b.Helper()
	key, err := secp256k1.ParsePubKey(point)
	if err != nil {
		b.Fatal(err)
	}
	var r, s secp256k1.ModNScalar
	if raw {
		r.SetByteSlice(signature[:32])
		s.SetByteSlice(signature[32:])
	} else {
		parsed, err := k1.ParseDERSignature(signature)
		if err != nil {
			b.Fatal(err)
		}
		r, s = parsed.R(), parsed.S()
	}
	return func() bool {
		digest := sha256.Sum256(message)
		return k1.NewSignature(&r, &s).Verify(digest[:], key)
	}
}
