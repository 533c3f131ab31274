package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// person is what one session key makes of a user: where their list is, and what
// seals what it says and what their sessions tell.
type person struct {
	list    string // the key of the list
	details cipher.AEAD
	entries cipher.AEAD
	nonces  []byte
}

// person makes what the key at index i of the ring makes of user.
func (k keyring) person(i int, user string) (person, error) {
	names, err := hkdf.Key(sha256.New, k[i], nil, "countersign list name", keyLength)
	if err != nil {
		return person{}, fmt.Errorf("session: derive a key: %w", err)
	}
	keys, err := hkdf.Key(sha256.New, k[i], nil, "countersign list of "+user, 3*keyLength)
	if err != nil {
		return person{}, fmt.Errorf("session: derive a key: %w", err)
	}
	p := person{list: "cs:u:" + encode(mac(names, []byte(user))[:16]), nonces: keys[2*keyLength:]}
	if p.details, err = gcm(keys[:keyLength]); err != nil {
		return person{}, err
	}
	p.entries, err = gcm(keys[keyLength : 2*keyLength])
	return p, err
}

// people makes what every session key makes of user, the first key's first.
func (k keyring) people(user string) ([]person, error) {
	all := make([]person, len(k))
	for i := range k {
		var err error
		if all[i], err = k.person(i, user); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// seal seals the details of the session of t. Its tag is the nonce, and so bound in:
// they can be moved to no other session. That takes that they are sealed once for a
// token, when its session is made, and never again.
func (p person) seal(t tag, plain []byte) []byte {
	return p.details.Seal(nil, t[:p.details.NonceSize()], plain, t[:])
}

// open opens what seal sealed.
func (p person) open(t tag, sealed []byte) ([]byte, bool) {
	plain, err := p.details.Open(nil, t[:p.details.NonceSize()], sealed, t[:])
	return plain, err == nil
}

// entry is how the list says that a session is the person's: its tag and its id,
// sealed. The nonce is a MAC of the two, so that the same entry always looks the same
// and can be taken off the list by what it says, and different ones share no nonce. It
// stays below the 64 bytes up to which Redis keeps a small list in one piece.
func (p person) entry(t tag, id []byte) string {
	plain := append(t[:], id...)
	nonce := mac(p.nonces, plain)[:p.entries.NonceSize()]
	return string(p.entries.Seal(nonce, nonce, plain, nil))
}

// read is what an entry says; false when it is none of the person's.
func (p person) read(entry string) (t tag, id []byte, ok bool) {
	n := p.entries.NonceSize()
	if len(entry) < n {
		return t, nil, false
	}
	plain, err := p.entries.Open(nil, []byte(entry[:n]), []byte(entry[n:]), nil)
	if err != nil || len(plain) != len(t)+idLength {
		return t, nil, false
	}
	return tag(plain[:len(t)]), plain[len(t):], true
}

// gcm is AES-256-GCM with nonces that the caller chooses.
func gcm(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("session: derive a key: %w", err)
	}
	return cipher.NewGCM(block)
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
