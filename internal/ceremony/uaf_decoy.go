package ceremony

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/uaf"
)

// model is a model of UAF authenticators that the platform has asked for, and
// how many bytes its key IDs have.
type model struct {
	AAID  string `json:"aaid"` // "" where key IDs were named without one
	KeyID int    `json:"keyID"`
}

// demoModel is the one that the sandbox knows of itself: where no other has been
// seen, most likely because there is none.
var demoModel = model{AAID: "5B0C#0001", KeyID: 32}

// serverData is what a shape has in place of a request's: it is the server's
// own, often under a MAC, and often names the user in it.
type serverData struct {
	// Text is one that is not base64url, in telltale characters.
	Text string `json:"text,omitzero"`
	// Before and After are numbers of bytes, around the user's id if User.
	Before int  `json:"before,omitzero"`
	User   bool `json:"user,omitzero"`
	After  int  `json:"after,omitzero"`
}

// uafDecoy is a request to sign in with a key of user's that nobody has: one,
// since several are listed in more ways than one real answer shows.
func (s shape) uafDecoy(seed []byte, user string) (string, error) {
	challenge := make([]byte, 64) // one for the dictionaries of all versions
	_, _ = rand.Read(challenge)   // it ends the program rather than return an error
	return onDictionaries(s.Request, dictionary{
		serverData: func(value []byte) ([]byte, error) { return sealLike(value, user) },
		challenge: func(value []byte) ([]byte, error) {
			blank, padded, err := bytesIn(value)
			return quoted(challenge[:min(len(blank), len(challenge))], padded), err
		},
		data:     func(text string) string { return textLike(text, drawn) },
		accepted: func(array []byte) ([]byte, error) { return s.inAccepted(array, seed) },
	})
}

// inAccepted fills the template among the alternatives of a policy.
func (s shape) inAccepted(array, seed []byte) ([]byte, error) {
	return onElements(array, func(alternative []byte) ([]byte, error) {
		return onElements(alternative, func(criteria []byte) ([]byte, error) {
			members, err := readCriteria(criteria)
			if err != nil || len(members.KeyIDs) == 0 {
				return criteria, err
			}
			m := s.modelOf(seed, len(members.AAIDs) > 0)
			keyID, err := hkdf.Expand(sha256.New, seed, "countersign decoy key of "+m.AAID, m.KeyID)
			if err != nil {
				return nil, err
			}
			return rewrite(criteria, func(name string, value []byte) ([]byte, error) {
				switch name {
				case "aaid":
					return replaceOne(value, func([]byte) ([]byte, error) { return jsontext.AppendQuote(nil, m.AAID) })
				case "keyIDs":
					return replaceOne(value, func(blank []byte) ([]byte, error) {
						_, padded, err := bytesIn(blank)
						return quoted(keyID, padded), err
					})
				}
				return value, nil
			})
		})
	})
}

// modelOf is the model of the user whose seed it is: the one that ranks highest
// by it. So everybody keeps theirs, in whatever order models were seen, and one
// that is seen for the first time becomes that of few: as if they had changed
// their phone, key and all.
func (s shape) modelOf(seed []byte, named bool) model {
	best, rank := model{KeyID: demoModel.KeyID}, []byte(nil)
	if named {
		best = demoModel
	}
	for _, m := range s.Models {
		if m.KeyID <= 0 || (m.AAID != "") != named {
			continue
		}
		mac := hmac.New(sha256.New, seed)
		mac.Write([]byte("countersign decoy model " + m.AAID))
		if r := mac.Sum(nil); bytes.Compare(r, rank) > 0 {
			best, rank = m, r
		}
	}
	return best
}

// sealLike is new serverData as the shape has it.
func sealLike(value []byte, user string) ([]byte, error) {
	var in serverData
	if err := json.Unmarshal(value, &in); err != nil {
		return nil, err
	}
	if in.Text != "" {
		return jsontext.AppendQuote(nil, textLike(in.Text, drawn))
	}
	if max(in.Before, in.After) > uaf.MaxMessage || min(in.Before, in.After) < 0 {
		return nil, fmt.Errorf("serverData of %d and %d bytes", in.Before, in.After)
	}
	if !in.User {
		user = ""
	}
	data := make([]byte, in.Before+len(user)+in.After)
	_, _ = rand.Read(data)
	copy(data[in.Before:], user)
	return jsontext.AppendQuote(nil, base64.RawURLEncoding.EncodeToString(data))
}

// firstUAFShape is the sandbox's own kind of request.
func firstUAFShape(appID string) (string, error) {
	quotedID, err := jsontext.AppendQuote(nil, appID)
	if err != nil {
		return "", fmt.Errorf("default shape: %w", err)
	}
	if appID != "" {
		quotedID = append(append([]byte(`"appID":`), quotedID...), ',')
	} else {
		quotedID = nil
	}
	status := int64(uaf.StatusOK)
	return shape{Offer: Offer{
		Request: `[{"header":{"upv":{"major":1,"minor":1},"op":"Auth",` + string(quotedID) + `"serverData":{"before":32,"user":true}},` +
			`"challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","policy":{"accepted":[[{"aaid":[""],"keyIDs":["AAAA"]}]]}}]`,
		UAFStatusCode: &status,
	}}.text()
}
