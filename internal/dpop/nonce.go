package dpop

import (
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"

	"countersign/internal/seal"
)

// nonceLife is the time after which there is a new nonce.
const nonceLife = 5 * time.Minute

// Nonces are the server's nonces (RFC 9449, 8): each is the time of its making, sealed, so
// that every node knows the others' and none is stored. There is a new one every five
// minutes, and the one before stays good.
type Nonces struct {
	keys   seal.Keys
	sealer seal.Sealer

	mu         sync.Mutex
	period     int64
	generation uint64 // of the keys that sealed newest
	newest     string
}

// NewNonces returns nonces sealed with the first of keys; those of all keys are good.
func NewNonces(keys seal.Keys) *Nonces {
	return &Nonces{keys: keys, sealer: keys.For("countersign nonce of proofs"), period: -1}
}

// Newest returns the nonce of now, the same on all nodes.
func (n *Nonces) Newest(now time.Time) string {
	current, generation := periodOf(now), n.keys.Generation()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.period != current || n.generation != generation {
		plain := binary.BigEndian.AppendUint64(nil, uint64(current))
		n.period, n.generation, n.newest = current, generation, base64.RawURLEncoding.EncodeToString(n.sealer.SealDeterministic(plain, nil))
	}
	return n.newest
}

// Good reports whether nonce is the newest or the one before. So is the next one shortly
// before its time: another node's clock may be ahead.
func (n *Nonces) Good(nonce string, now time.Time) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(nonce)
	if err != nil {
		return false
	}
	plain, ok := n.sealer.Open(sealed, nil)
	if !ok || len(plain) != 8 {
		return false
	}
	period := int64(binary.BigEndian.Uint64(plain))
	return periodOf(now)-1 <= period && period <= periodOf(now.Add(tolerance))
}

// periodOf counts the lives of nonces since 1970.
func periodOf(now time.Time) int64 { return now.Unix() / int64(nonceLife/time.Second) }
