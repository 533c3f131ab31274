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

// userAgentBytes limits the stored length of a User-Agent.
const userAgentBytes = 116

// SessionInfo is one session as shown to its person.
type SessionInfo struct {
	ID                    string
	CreatedAt, LastUsedAt time.Time
	UserAgent, Address    string
	Methods               []string
	// Bound says that the session is bound to a key of its device.
	Bound bool
}

// details is the part of a session that its person is shown, sealed beside its state.
type details struct {
	UserAgent string  `cbor:"1,keyasint,omitempty"`
	Address   []byte  `cbor:"2,keyasint,omitempty"` // 4 bytes or 16
	Methods   methods `cbor:"3,keyasint,omitempty"`
	Bound     bool    `cbor:"4,keyasint,omitempty"`
	// Browser says that the browser has registered a key.
	Browser bool `cbor:"5,keyasint,omitempty"`
}

// sealDetails fills in the sealed details of sess.
func (s *Store) sealDetails(sess *Session, p person, client Client) error {
	address, _ := netip.ParseAddr(client.Address) // an invalid address is not kept
	plain, err := cbor.Marshal(details{
		UserAgent: truncate(client.UserAgent, userAgentBytes), Address: address.AsSlice(), Methods: sess.state.Methods,
		Bound: sess.Bound(), Browser: sess.BrowserBound(),
	})
	if err != nil {
		return fmt.Errorf("session: encode the details: %w", err)
	}
	sess.details = p.seal(sess.tag, plain)
	return nil
}

// showBound seals the details of sess again, with its browser's key among them. Details that do
// not open are left as they are.
func (s *Store) showBound(sess *Session) {
	for _, p := range s.people(sess.state.UserID) {
		plain, ok := p.open(sess.tag, sess.details)
		var d details
		if !ok || cbor.Unmarshal(plain, &d) != nil {
			continue
		}
		d.Browser = true
		if plain, err := cbor.Marshal(d); err == nil {
			sess.details = p.seal(sess.tag, plain)
		}
		return
	}
}

// List returns the live sessions of the person userID, the last used first.
func (s *Store) List(ctx context.Context, userID string) ([]SessionInfo, error) {
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
	byID := make(map[string]SessionInfo, len(alive))
	for _, l := range alive {
		listed, ok := s.listed(l)
		known, twice := byID[listed.ID] // a rotating session is listed under its old and its new token
		if ok && (!twice || !known.LastUsedAt.After(listed.LastUsedAt)) {
			byID[listed.ID] = listed
		}
	}
	list := slices.AppendSeq(make([]SessionInfo, 0, len(byID)), maps.Values(byID))
	slices.SortFunc(list, func(a, b SessionInfo) int {
		return cmp.Or(b.LastUsedAt.Compare(a.LastUsedAt), strings.Compare(a.ID, b.ID))
	})
	return list, nil
}

// listed opens the details of the entry's session; it returns false if they do not open. A
// browser's key counts while browsers are asked for it.
func (s *Store) listed(l liveEntry) (SessionInfo, bool) {
	plain, ok := l.person.open(l.tag, l.details)
	var d details
	if !ok || cbor.Unmarshal(plain, &d) != nil {
		return SessionInfo{}, false
	}
	listed := SessionInfo{
		ID: encode(l.id), CreatedAt: unix(l.createdAt), LastUsedAt: l.touched,
		UserAgent: d.UserAgent, Methods: d.Methods.names(), Bound: d.Bound || d.Browser && s.bindBrowsers,
	}
	if address, ok := netip.AddrFromSlice(d.Address); ok {
		listed.Address = address.String()
	}
	return listed, true
}

// truncate returns text as valid UTF-8 of at most n bytes, cut between runes.
func truncate(text string, n int) string {
	text = valid(text)
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
