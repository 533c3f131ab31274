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
// seals what it and the details say.
type person struct {
	list    string // the key of the list
	details cipher.AEAD
	entries cipher.AEAD
	nonces  []byte
}

// person makes what the key at index i of the ring makes of user.
func (k keyring) person(i int, user string) (person, error) {
	named, err := hkdf.Key(sha256.New, k[i], nil, "countersign list name", keyLength)
	if err != nil {
		return person{}, fmt.Errorf("session: derive a key: %w", err)
	}
	purpose := " of " + user
	details, err := derivedAEAD(k[i], nil, "countersign details"+purpose)
	if err != nil {
		return person{}, err
	}
	sealing, err := hkdf.Key(sha256.New, k[i], nil, "countersign entries"+purpose, 2*keyLength)
	if err != nil {
		return person{}, fmt.Errorf("session: derive a key: %w", err)
	}
	block, err := aes.NewCipher(sealing[:keyLength])
	if err != nil {
		return person{}, fmt.Errorf("session: derive a key: %w", err)
	}
	entries, err := cipher.NewGCM(block)
	if err != nil {
		return person{}, fmt.Errorf("session: derive a key: %w", err)
	}
	return person{
		list:    "cs:u:" + encode(mac(named, []byte(user))[:16]),
		details: details, entries: entries, nonces: sealing[keyLength:],
	}, nil
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

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
