package uaf

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"sync"
	"time"
)

// chainCache keeps the chains that led to a model's roots. Many thousand
// authenticators share one attestation key, so the same chain comes with nearly
// every registration, and verifying it costs as much as the attestation itself.
// Only good chains are kept, a bounded number of them, by the hash of all their
// bytes, and only while every certificate on the path is valid. The zero value is
// ready and safe for concurrent use.
type chainCache struct {
	mutex sync.Mutex
	known map[[sha256.Size]byte]verifiedChain
}

type verifiedChain struct {
	leafKey    []byte // SubjectPublicKeyInfo
	from, till time.Time
}

// maxCachedChains limits a model's cache, which is emptied when it is full.
const maxCachedChains = 256

// leafKey returns the SubjectPublicKeyInfo of the leaf of a chain that leads to one of
// the roots.
func (c *chainCache) leafKey(sent [][]byte, roots []*x509.Certificate, now time.Time) ([]byte, error) {
	key := hashChain(sent)
	c.mutex.Lock()
	chain, ok := c.known[key]
	c.mutex.Unlock()
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
	c.put(key, chain)
	return chain.leafKey, nil
}

func (c *chainCache) put(key [sha256.Size]byte, chain verifiedChain) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.known == nil || len(c.known) >= maxCachedChains {
		c.known = map[[sha256.Size]byte]verifiedChain{}
	}
	c.known[key] = chain
}

// hashChain hashes the certificates, each after its length.
func hashChain(sent [][]byte) [sha256.Size]byte {
	hash := sha256.New()
	for _, certificate := range sent {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(certificate))))
		hash.Write(certificate)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
