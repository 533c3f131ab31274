package uafserver_test

import (
	"bytes"
	"encoding/base64"
	"testing"

	"pgregory.net/rapid"

	"countersign/internal/sandbox/uafserver"
	"countersign/internal/uaf"
)

func TestServerData_RoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 16, 64).Draw(r, "key")
		challenge := rapid.SliceOfN(rapid.Byte(), 8, 64).Draw(r, "challenge")
		payload := rapid.SliceOfN(rapid.Byte(), 0, 1120).Draw(r, "payload")
		text, err := uafserver.SealServerData(key, challenge, payload)
		if err != nil || len(text) < 1 || len(text) > 1536 {
			r.Fatalf("%d characters (%v)", len(text), err)
		}
		got, err := uafserver.OpenServerData(key, challenge, text)
		if err != nil || !bytes.Equal(got, payload) {
			r.Fatalf("opened %x (%v)", got, err)
		}
	})
}

func TestServerData_ForeignRefused(t *testing.T) {
	key, challenge := []byte("key"), []byte("challenge")
	text, err := uafserver.SealServerData(key, challenge, []byte("alice"))
	if err != nil {
		t.Fatal(err)
	}
	sealed, _ := base64.RawURLEncoding.DecodeString(text)
	for at := range sealed {
		changed := bytes.Clone(sealed)
		changed[at] ^= 1
		_, err := uafserver.OpenServerData(key, challenge, base64.RawURLEncoding.EncodeToString(changed))
		wantStatus(t, err, uaf.StatusRequestInvalid)
	}
	for _, other := range []string{"", "AAAA", text + "=", text + "\n", text[:len(text)-4], "!"} {
		_, err := uafserver.OpenServerData(key, challenge, other)
		wantStatus(t, err, uaf.StatusRequestInvalid)
	}
	_, err = uafserver.OpenServerData([]byte("another"), challenge, text)
	wantStatus(t, err, uaf.StatusRequestInvalid)
	_, err = uafserver.OpenServerData(key, []byte("another"), text)
	wantStatus(t, err, uaf.StatusRequestInvalid)
	// A byte moved from the challenge's end into the payload is detected.
	_, err = uafserver.OpenServerData(key, []byte("challeng"), text)
	wantStatus(t, err, uaf.StatusRequestInvalid)
	if _, err := uafserver.SealServerData(key, challenge, make([]byte, 1121)); err == nil {
		t.Error("a payload that makes more than 1536 characters was sealed")
	}
}
