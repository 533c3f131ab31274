package decoy

import (
	"bytes"
	"crypto/sha3"
	"fmt"

	"countersign/internal/uaf"
)

// person is the seed of the personal parts of a user's decoys.
type person []byte

func (s *Service) person(user string) person { return s.mac(user) }

// draw returns n bytes for one purpose, always the same.
func (p person) draw(n int, purpose string, args ...any) []byte {
	stream := sha3.NewSHAKE256()
	_, _ = stream.Write(p)
	_, _ = fmt.Fprintf(stream, purpose, args...)
	out := make([]byte, n)
	_, _ = stream.Read(out)
	return out
}

// count returns the number of the person's credentials, up to most: five in eight have
// one.
func (p person) count(purpose string, most int) int {
	n := 1
	for b := p.draw(1, "number of %s", purpose)[0]; n < most && b < 96; b *= 2 {
		n++
	}
	return n
}

// kinds are current FIDO2 authenticators: the length of their credential ids in bytes,
// and their transports in the order in which browsers report them.
var kinds = []struct {
	length     int
	transports []string
}{
	{16, []string{"hybrid", "internal"}}, {20, []string{"hybrid", "internal"}}, {32, []string{"hybrid", "internal"}},
	{32, []string{"internal"}}, {48, []string{"nfc", "usb"}}, {64, []string{"usb"}},
}

// credentials returns one to three FIDO2 credentials.
func (p person) credentials(transports bool) []descriptor {
	out := make([]descriptor, p.count("credentials", 3))
	for i := range out {
		kind := kinds[int(p.draw(1, "kind of credential %d", i)[0])%len(kinds)]
		out[i] = descriptor{Type: publicKey, ID: p.draw(kind.length, "credential %d", i)}
		if transports {
			out[i].Transports = kind.transports
		}
	}
	return out
}

// keys returns one or two UAF keys, each of one of models.
func (p person) keys(models []model) []uaf.KeyReference {
	out := make([]uaf.KeyReference, p.count("keys", 2))
	for i := range out {
		m := p.choose(i, models)
		out[i] = uaf.KeyReference{AAID: m.AAID, KeyID: p.draw(int(m.KeyID), "key %d of %s", i, m.AAID.Canonical())}
	}
	return out
}

// choose returns the model of the person's i-th key: the one that ranks highest for it.
// So a new model changes the keys of few people, as another phone would.
func (p person) choose(i int, models []model) (best model) {
	var rank []byte
	for _, m := range models {
		if r := p.draw(32, "model %d %s", i, m.AAID.Canonical()); bytes.Compare(r, rank) > 0 {
			best, rank = m, r
		}
	}
	return best
}
