package session

import (
	"context"
	"fmt"
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
	// userAgentBytes is how much of a User-Agent is kept, addressBytes how much of an
	// address: an IPv6 one with its zone fits.
	userAgentBytes, addressBytes = 120, 64
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
	CreatedAt int64    `cbor:"1,keyasint"`
	UserAgent string   `cbor:"2,keyasint,omitempty"`
	Address   string   `cbor:"3,keyasint,omitempty"`
	Methods   []string `cbor:"4,keyasint,omitempty"`
}

// sealDetails fills in what sess tells its person. They cannot be moved to another
// session: its tag is sealed in.
func (s *Store) sealDetails(sess *Session, p person, client Client) error {
	plain, err := cbor.Marshal(details{
		CreatedAt: sess.state.CreatedAt, Methods: sess.state.Methods,
		UserAgent: cut(client.UserAgent, userAgentBytes), Address: cut(client.Address, addressBytes),
	})
	if err != nil {
		return fmt.Errorf("session: encode the details: %w", err)
	}
	sess.details = p.details.Seal(nil, nil, plain, sess.tag[:])
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
		if ok && !(twice && known.LastUsedAt.After(listed.LastUsedAt)) {
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
	plain, err := e.person.details.Open(nil, nil, head.details, e.tag[:])
	if err != nil {
		return Listed{}, false
	}
	var told details
	if err := cbor.Unmarshal(plain, &told); err != nil {
		return Listed{}, false
	}
	return Listed{
		ID: encode(e.id), CreatedAt: unix(told.CreatedAt), LastUsedAt: head.touched,
		UserAgent: told.UserAgent, Address: told.Address, Methods: told.Methods,
	}, true
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
