package index

import (
	"encoding/base64"
	"strings"

	"countersign/internal/seal"

	"github.com/fxamacker/cbor/v2"
)

// Starters seals the starter of a transaction into the opaque_id that the platform keeps.
// The opaque_id is startedBy followed by, in base64url, the user, the client's own
// opaque_id and whether the transaction is about that user, sealed under ACCESS_KEYS.
type Starters struct{ sealer seal.Sealer }

// startedBy begins an opaque_id that Countersign sealed.
const startedBy = "cs1."

// NewStarters returns Starters that use keys.
func NewStarters(keys seal.Keys) Starters {
	return Starters{keys.For("countersign transaction starter")}
}

// Starter is the content of a sealed opaque_id.
type Starter struct {
	// User is the user who started the transaction, in canonical form.
	User string `cbor:"1,keyasint"`
	// Own is the client's own opaque_id; "" if there is none.
	Own string `cbor:"2,keyasint,omitempty"`
	// Self says that the transaction is about its starter.
	Self bool `cbor:"3,keyasint,omitempty"`
}

// Seal returns the opaque_id with that content.
func (s Starters) Seal(by Starter) string {
	plain, err := cbor.Marshal(by)
	if err != nil {
		panic(err) // two texts and a truth value always encode
	}
	return startedBy + base64.RawURLEncoding.EncodeToString(s.sealer.Seal(plain, nil))
}

// Open opens an opaque_id, and returns false if Seal did not make it.
func (s Starters) Open(opaqueID string) (by Starter, ok bool) {
	text, ours := strings.CutPrefix(opaqueID, startedBy)
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if !ours || err != nil {
		return Starter{}, false
	}
	plain, ok := s.sealer.Open(sealed, nil)
	if !ok || cbor.Unmarshal(plain, &by) != nil || by.User == "" {
		return Starter{}, false
	}
	return by, true
}
