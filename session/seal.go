package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// keyLength is that of a session key, and of every key made from one.
const keyLength = 32

// keyring is the session keys: the first seals, all open.
type keyring [][]byte

func newKeyring(keys [][]byte) (keyring, error) {
	if len(keys) == 0 {
		return nil, errors.New("session: no session key")
	}
	for i, key := range keys {
		if len(key) != keyLength {
			return nil, fmt.Errorf("session: session key %d has %d bytes, not %d", i+1, len(key), keyLength)
		}
	}
	return keys, nil
}

// seal seals what belongs to the session of t. about is what stands beside it in
// clear and must not be exchanged: another revision, another record's name.
func (k keyring) seal(t token, plain, about []byte) ([]byte, error) {
	aead, err := sessionAEAD(k[0], t)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain, about), nil //nolint:gosec // it makes its own random nonce
}

// open opens what seal sealed; false when it was tampered with or sealed under a
// key that is gone.
func (k keyring) open(t token, sealed, about []byte) ([]byte, bool) {
	for _, key := range k {
		aead, err := sessionAEAD(key, t)
		if err != nil {
			continue
		}
		if plain, err := aead.Open(nil, nil, sealed, about); err == nil {
			return plain, true
		}
	}
	return nil, false
}

// sessionAEAD is AES-256-GCM with random nonces, under a key that takes both the
// token and the session key: neither a stolen Redis nor a stolen configuration opens a
// session, nor both together.
func sessionAEAD(key []byte, t token) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, t[:], key, "countersign session", keyLength)
	if err != nil {
		return nil, fmt.Errorf("session: derive a key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("session: derive a key: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
