package uafserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"

	"countersign/internal/uaf"
)

// maxServerDataPayload keeps the text within the protocol's 1536 characters.
const maxServerDataPayload = 1536*3/4 - sha256.Size

// SealServerData writes payload as a request's serverData: under an HMAC that
// covers the challenge too, so that neither can be swapped. The payload, 1120
// bytes at most, is not encrypted: clients can read it.
func SealServerData(key, challenge, payload []byte) (string, error) {
	if len(payload) > maxServerDataPayload {
		return "", unacceptable("serverData: a payload of %d bytes", len(payload))
	}
	return base64.RawURLEncoding.EncodeToString(append(serverDataMAC(key, challenge, payload), payload...)), nil
}

// OpenServerData checks a response's serverData against the challenge in its fcParams and
// returns the payload. The error is 1491 unless it was sealed with key for this
// challenge.
func OpenServerData(key, challenge []byte, text string) ([]byte, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(data) < sha256.Size {
		return nil, refuseCause(uaf.StatusRequestInvalid, err, "serverData is not ours")
	}
	payload := data[sha256.Size:]
	// One value has one text, so the text is compared.
	sealed, err := SealServerData(key, challenge, payload)
	if err != nil || !hmac.Equal([]byte(text), []byte(sealed)) {
		return nil, refuseCause(uaf.StatusRequestInvalid, err, "serverData is not ours, or another challenge's")
	}
	return payload, nil
}

func serverDataMAC(key, challenge, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("UAF serverData\x00"))
	mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(challenge))))
	mac.Write(challenge)
	mac.Write(payload)
	return mac.Sum(nil)
}
