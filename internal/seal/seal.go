// Package seal encrypts and authenticates data under keys that rotate (AES-256-GCM).
//
// To change a key, give every node the new key last, then the new key first, and drop the
// old one when nothing sealed by it is left. A node takes other keys while it runs
// (Keys.Replace).
//
// It stores nothing, and does not know what it seals.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"sync"
	"sync/atomic"
)

// KeyLength is the length of a key in bytes.
const KeyLength = 32

// Keys are the keys of one installation. None of them seals anything itself: For and With
// derive sealers from them. Copies of Keys share what Replace changes.
type Keys struct {
	live  *atomic.Pointer[ring] // nil for one of Each
	fixed []*key                // instead of live
}

// ring is a list of keys that is never changed.
type ring struct {
	keys       []*key
	generation uint64
}

// key is one key, as its sealers are derived from it.
type key struct {
	prk  []byte    // HKDF-Extract of the key, without a salt
	macs sync.Pool // of hash.Hash, HMAC-SHA-256 under the key
}

func newKey(secret []byte) *key {
	prk, err := hkdf.Extract(sha256.New, secret, nil)
	if err != nil {
		panic(err) // only for a hash that is not allowed
	}
	return &key{prk: prk, macs: sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}
}

// extract is HKDF-Extract of a secret with the key as its salt: HMAC of the secret under
// the key (RFC 5869, section 2.2).
func (k *key) extract(secret []byte) []byte {
	mac := k.macs.Get().(hash.Hash) //nolint:forcetypeassert // of what New makes
	defer k.macs.Put(mac)
	mac.Reset()
	mac.Write(secret)
	return mac.Sum(nil)
}

// New takes one key or more of KeyLength bytes each.
func New(keys ...[]byte) (Keys, error) {
	all, err := newKeys(keys)
	if err != nil {
		return Keys{}, err
	}
	k := Keys{live: new(atomic.Pointer[ring])}
	k.live.Store(&ring{keys: all})
	return k, nil
}

func newKeys(secrets [][]byte) ([]*key, error) {
	if len(secrets) == 0 {
		return nil, errors.New("seal: no key")
	}
	all := make([]*key, len(secrets))
	for i, secret := range secrets {
		if len(secret) != KeyLength {
			return nil, fmt.Errorf("seal: key %d has %d bytes, not %d", i+1, len(secret), KeyLength)
		}
		all[i] = newKey(secret)
	}
	return all, nil
}

// Replace has k, its copies and the sealers that For made of them use other keys from now
// on. After an error nothing has changed. k is what New made, and one call runs at a time.
func (k Keys) Replace(keys ...[]byte) error {
	all, err := newKeys(keys)
	if err == nil {
		k.live.Store(&ring{all, k.live.Load().generation + 1})
	}
	return err
}

// Generation counts the calls of Replace that changed the keys.
func (k Keys) Generation() uint64 {
	if k.live == nil {
		return 0
	}
	return k.live.Load().generation
}

func (k Keys) now() []*key {
	if k.live == nil {
		return k.fixed
	}
	return k.live.Load().keys
}

// Each returns the keys of now one by one, for lookups under every key.
func (k Keys) Each() []Keys {
	all := k.now()
	each := make([]Keys, len(all))
	for i := range all {
		each[i].fixed = all[i : i+1]
	}
	return each
}

// For returns the sealer for a purpose: its seals open for no other purpose.
func (k Keys) For(purpose string) Sealer {
	if k.live == nil {
		return Sealer{fixed: forPurpose(k.fixed, purpose)}
	}
	return Sealer{live: &liveSealer{of: k.live, purpose: purpose}}
}

func forPurpose(keys []*key, purpose string) []derivedKey {
	all := make([]derivedKey, len(keys))
	for i, key := range keys {
		all[i] = newDerived(key.prk, purpose)
	}
	return all
}

// With returns the sealer for a purpose that needs a secret in addition to the keys of now:
// neither opens anything alone.
func (k Keys) With(secret []byte, purpose string) Sealer {
	keys := k.now()
	all := make([]derivedKey, len(keys))
	for i, key := range keys {
		all[i] = newDerived(key.extract(secret), purpose)
	}
	return Sealer{fixed: all}
}

// Sealer seals for one purpose. It is safe for concurrent use.
type Sealer struct {
	live  *liveSealer
	fixed []derivedKey // where live is nil
}

// liveSealer derives again what Keys.Replace has changed.
type liveSealer struct {
	of      *atomic.Pointer[ring]
	purpose string
	last    atomic.Pointer[ofRing]
}

// ofRing is what was derived from one ring.
type ofRing struct {
	ring *ring
	all  []derivedKey
}

func (s Sealer) keys() []derivedKey {
	if s.live == nil {
		return s.fixed
	}
	now := s.live.of.Load()
	last := s.live.last.Load()
	if last == nil || last.ring != now {
		last = &ofRing{now, forPurpose(now.keys, s.live.purpose)}
		s.live.last.Store(last)
	}
	return last.all
}

// Each returns the sealers of the keys of now one by one, for lookups under every key.
func (s Sealer) Each() []Sealer {
	all := s.keys()
	each := make([]Sealer, len(all))
	for i := range all {
		each[i].fixed = all[i : i+1]
	}
	return each
}

// derivedKey is derived from one key for a purpose: a cipher, and the MACs for names and
// nonces, which most sealers never need.
type derivedKey struct {
	aead    cipher.AEAD
	prk     []byte // of HKDF
	purpose string
	macs    *sync.Pool // of hash.Hash, keyed
}

func newDerived(prk []byte, purpose string) derivedKey {
	d := derivedKey{prk: prk, purpose: purpose, macs: &sync.Pool{}}
	block, err := aes.NewCipher(d.key("cipher"))
	if err != nil {
		panic(err) // only for a key of another length
	}
	if d.aead, err = cipher.NewGCM(block); err != nil {
		panic(err) // only for a cipher of another block size
	}
	return d
}

func (d derivedKey) key(use string) []byte {
	key, err := hkdf.Expand(sha256.New, d.prk, use+" "+d.purpose, KeyLength)
	if err != nil {
		panic(err) // only for output longer than HKDF makes
	}
	return key
}

// Seal encrypts plain under the first key; the result is 28 bytes longer. about is
// additional data that Open requires unchanged.
func (s Sealer) Seal(plain, about []byte) []byte {
	aead := s.keys()[0].aead
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(plain)+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program first
	return aead.Seal(nonce, nonce, plain, about)
}

// SealDeterministic is Seal with the same output for the same input, so that a member of
// a set can be found again. It reveals whether two inputs are the same, and nothing else:
// the nonce is a MAC of the input.
func (s Sealer) SealDeterministic(plain, about []byte) []byte {
	first := s.keys()[0]
	nonce := first.sum([]byte("nonce"), plain, about)[:first.aead.NonceSize()]
	return first.aead.Seal(nonce, nonce, plain, about)
}

// Open undoes Seal and SealDeterministic under any of the keys. It returns false for
// bytes that they did not make with this about.
func (s Sealer) Open(sealed, about []byte) ([]byte, bool) {
	for _, key := range s.keys() {
		n := key.aead.NonceSize()
		if len(sealed) < n {
			return nil, false
		}
		if plain, err := key.aead.Open(nil, sealed[:n], sealed[n:], about); err == nil {
			return plain, true
		}
	}
	return nil, false
}

// Name returns a name for text under the first key, 22 characters of base64url, from
// which text cannot be found without the key.
func (s Sealer) Name(text string) string {
	return base64.RawURLEncoding.EncodeToString(s.keys()[0].sum([]byte("name"), []byte(text))[:16])
}

// sum returns a MAC of parts, each with its length, so that no two lists of parts are
// alike. It reuses keyed hashes, which saves half of a MAC's cost.
func (d derivedKey) sum(parts ...[]byte) []byte {
	mac, ok := d.macs.Get().(hash.Hash)
	if !ok {
		mac = hmac.New(sha256.New, d.key("mac"))
	}
	defer d.macs.Put(mac)
	mac.Reset()
	for _, part := range parts {
		mac.Write(append(strconv.AppendInt(nil, int64(len(part)), 10), ':'))
		mac.Write(part)
	}
	return mac.Sum(nil)
}
