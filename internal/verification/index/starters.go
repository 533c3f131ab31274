package index

import (
	"encoding/base64"
	"strings"

	"countersign/internal/seal"

	"github.com/fxamacker/cbor/v2"
)

// Starters say at the platform who started a transaction: its opaque_id is startedBy
// and base64url of the user, the client's own opaque_id and whether it is about the user
// themselves, sealed under ACCESS_KEYS.
type Starters struct{ sealer seal.Sealer }

// startedBy begins an opaque_id that Countersign sealed.
const startedBy = "cs1."

// NewStarters are those of keys.
func NewStarters(keys seal.Keys) Starters {
	return Starters{keys.For("countersign transaction starter")}
}

// Started is what an opaque_id says.
type Started struct {
	// User is who started the transaction, canonical.
	User string `cbor:"1,keyasint"`
	// Own is the client's own opaque_id; "" if there is none.
	Own string `cbor:"2,keyasint,omitempty"`
	// Self says that the transaction is about whoever started it.
	Self bool `cbor:"3,keyasint,omitempty"`
}

// Seal is the opaque_id that says so.
func (s Starters) Seal(by Started) string {
	plain, err := cbor.Marshal(by)
	if err != nil {
		panic(err) // two texts and a truth value always encode
	}
	return startedBy + base64.RawURLEncoding.EncodeToString(s.sealer.Seal(plain, nil))
}

// Open undoes Seal; false for what it did not make.
func (s Starters) Open(opaqueID string) (by Started, ok bool) {
	text, ours := strings.CutPrefix(opaqueID, startedBy)
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if !ours || err != nil {
		return Started{}, false
	}
	plain, ok := s.sealer.Open(sealed, nil)
	if !ok || cbor.Unmarshal(plain, &by) != nil || by.User == "" {
		return Started{}, false
	}
	return by, true
}
