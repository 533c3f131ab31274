package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// userAgentBytes is how much of a User-Agent is kept.
const userAgentBytes = 120

// Listed is one session as its person sees it.
type Listed struct {
	ID                    string
	CreatedAt, LastUsedAt time.Time
	UserAgent, Address    string
	Methods               []string
}

// details is what a session tells its person, sealed beside its state.
type details struct {
	UserAgent string  `cbor:"1,keyasint,omitempty"`
	Address   []byte  `cbor:"2,keyasint,omitempty"` // 4 bytes or 16
	Methods   methods `cbor:"3,keyasint,omitempty"`
}

// sealDetails fills in what sess tells its person.
func (s *Store) sealDetails(sess *Session, p person, client Client) error {
	address, _ := netip.ParseAddr(client.Address) // what is none is not kept
	plain, err := cbor.Marshal(details{
		UserAgent: cut(client.UserAgent, userAgentBytes), Address: address.AsSlice(), Methods: sess.state.Methods,
	})
	if err != nil {
		return fmt.Errorf("session: encode the details: %w", err)
	}
	sess.details = p.seal(sess.tag, plain)
	return nil
}

// List returns the sessions of the person userID that are alive, the last used first.
func (s *Store) List(ctx context.Context, userID string) ([]Listed, error) {
	ctx, cancel := s.verbContext(ctx)
	defer cancel()
	entries, err := s.entries(ctx, userID)
	if err != nil {
		return nil, err
	}
	alive, err := s.alive(ctx, entries)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]Listed, len(alive))
	for _, l := range alive {
		listed, ok := l.listed()
		known, twice := byID[listed.ID] // under its old token and its new, while it rotates
		if ok && (!twice || !known.LastUsedAt.After(listed.LastUsedAt)) {
			byID[listed.ID] = listed
		}
	}
	list := slices.AppendSeq(make([]Listed, 0, len(byID)), maps.Values(byID))
	slices.SortFunc(list, func(a, b Listed) int {
		return cmp.Or(b.LastUsedAt.Compare(a.LastUsedAt), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// listed is what the session tells its person; false when it does not open.
func (l living) listed() (Listed, bool) {
	plain, ok := l.person.open(l.tag, l.details)
	var told details
	if !ok || cbor.Unmarshal(plain, &told) != nil {
		return Listed{}, false
	}
	listed := Listed{
		ID: encode(l.id), CreatedAt: unix(l.createdAt), LastUsedAt: l.touched,
		UserAgent: told.UserAgent, Methods: told.Methods.names(),
	}
	if address, ok := netip.AddrFromSlice(told.Address); ok {
		listed.Address = address.String()
	}
	return listed, true
}

// cut is text in valid UTF-8 and at most n bytes, cut between runes.
func cut(text string, n int) string {
	text = valid(text)
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
