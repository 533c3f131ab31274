package uaf

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"sync"
	"time"
)

// chainMemory remembers the chains that led to a model's roots. The protocol
// has one attestation key for many thousand authenticators, so that the same
// chain comes with nearly every registration, and verifying it costs as much as
// the attestation itself. Only good chains are remembered, a bounded number of
// them, by the hash of all their bytes, and only while every certificate on the
// path is valid. The zero value is ready, for any number of goroutines.
type chainMemory struct {
	mutex sync.Mutex
	known map[[sha256.Size]byte]verifiedChain
}

type verifiedChain struct {
	leafKey    []byte // SubjectPublicKeyInfo
	from, till time.Time
}

// maxRemembered bounds a model's memory; one that has more attestation keys
// begins anew.
const maxRemembered = 256

// leafKey is the SubjectPublicKeyInfo of the leaf of a chain that leads to one
// of the roots.
func (m *chainMemory) leafKey(sent [][]byte, roots []*x509.Certificate, now time.Time) ([]byte, error) {
	name := nameChain(sent)
	m.mutex.Lock()
	chain, ok := m.known[name]
	m.mutex.Unlock()
	if ok && !now.Before(chain.from) && !now.After(chain.till) {
		return chain.leafKey, nil
	}
	path, err := verifyChain(sent, roots, now)
	if err != nil {
		return nil, err
	}
	leaf := path[0]
	chain = verifiedChain{leafKey: bytes.Clone(leaf.RawSubjectPublicKeyInfo), from: leaf.NotBefore, till: leaf.NotAfter}
	for _, certificate := range path {
		if certificate.NotBefore.After(chain.from) {
			chain.from = certificate.NotBefore
		}
		if certificate.NotAfter.Before(chain.till) {
			chain.till = certificate.NotAfter
		}
	}
	m.remember(name, chain)
	return chain.leafKey, nil
}

func (m *chainMemory) remember(name [sha256.Size]byte, chain verifiedChain) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.known == nil || len(m.known) >= maxRemembered {
		m.known = map[[sha256.Size]byte]verifiedChain{}
	}
	m.known[name] = chain
}

// nameChain hashes the certificates, each after its length.
func nameChain(sent [][]byte) [sha256.Size]byte {
	hash := sha256.New()
	for _, certificate := range sent {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(certificate))))
		hash.Write(certificate)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
