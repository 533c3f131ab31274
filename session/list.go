package session

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

const (
	// maxListed is how many sessions List tells of, the newest: one page that a
	// person can read. Ending all others ends all others.
	maxListed = 1000
	// userAgentBytes is how much of a User-Agent is kept.
	userAgentBytes = 120
)

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

// List returns the sessions of the person userID that are alive, the last used
// first, the newest thousand at most. Entries whose session is gone leave the list.
func (s *Store) List(ctx context.Context, userID string) ([]Listed, error) {
	ctx, cancel := whole(ctx)
	defer cancel()
	entries, err := s.entries(ctx, userID, maxListed)
	if err != nil {
		return nil, err
	}
	values, err := s.values(ctx, entries)
	if err != nil {
		return nil, err
	}
	alive := make(map[string]Listed, len(entries))
	for i, e := range entries {
		if values[i] == nil {
			_ = s.strike(ctx, e) // else with the next look at the list
		}
		listed, ok := s.listed(e, values[i])
		known, twice := alive[listed.ID] // under its old key and its new, while it rotates
		if ok && (!twice || !known.LastUsedAt.After(listed.LastUsedAt)) {
			alive[listed.ID] = listed
		}
	}
	return byLastUse(alive), nil
}

func byLastUse(alive map[string]Listed) []Listed {
	list := make([]Listed, 0, len(alive))
	for _, listed := range alive {
		list = append(list, listed)
	}
	slices.SortFunc(list, func(a, b Listed) int {
		if order := b.LastUsedAt.Compare(a.LastUsedAt); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list
}

// listed is what the session of e tells; false when it is over.
func (s *Store) listed(e entry, value []byte) (Listed, bool) {
	head, ok := parse(value)
	if !ok || !head.touched.Add(s.idle).After(s.now()) {
		return Listed{}, false
	}
	plain, ok := e.person.open(e.tag, head.details)
	if !ok {
		return Listed{}, false
	}
	var told details
	if err := cbor.Unmarshal(plain, &told); err != nil {
		return Listed{}, false
	}
	listed := Listed{
		ID: encode(e.id), CreatedAt: unix(e.createdAt), LastUsedAt: head.touched,
		UserAgent: told.UserAgent, Methods: told.Methods.names(),
	}
	if address, ok := netip.AddrFromSlice(told.Address); ok {
		listed.Address = address.String()
	}
	return listed, true
}

// End ends the session of the person userID that is called id, and reports whether
// there was one: false is no session of theirs.
func (s *Store) End(ctx context.Context, userID, id string) (bool, error) {
	ctx, cancel := whole(ctx)
	defer cancel()
	return s.endWhere(ctx, userID, func(e entry) bool { return encode(e.id) == id })
}

// EndOthers ends every session of sess's person except sess itself.
func (s *Store) EndOthers(ctx context.Context, sess *Session) error {
	ctx, cancel := whole(ctx)
	defer cancel()
	_, err := s.endWhere(ctx, sess.state.UserID, func(e entry) bool { return e.tag != sess.tag })
	return err
}

// endWhere ends the person's sessions that are meant, and looks again until there
// are none: a session may be rotating into a new key just then.
func (s *Store) endWhere(ctx context.Context, userID string, meant func(entry) bool) (ended bool, err error) {
	for {
		entries, err := s.entries(ctx, userID, -1)
		if err != nil {
			return ended, err
		}
		entries = slices.DeleteFunc(entries, func(e entry) bool { return !meant(e) })
		if len(entries) == 0 {
			return ended, nil
		}
		for _, e := range entries {
			alive, err := s.kill(ctx, e.tag)
			if err != nil {
				return ended, err
			}
			ended = ended || alive
			if err := s.strike(ctx, e); err != nil {
				return ended, err
			}
		}
	}
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
