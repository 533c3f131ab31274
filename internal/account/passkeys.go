package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/identity/platform"
	"countersign/internal/redisdb"
	"countersign/internal/seal"
	"countersign/session"
)

// Passkeys keep what browsers can be told of people's passkeys, as the platform's requests have
// shown it. Redis holds, for each person and sealed:
//
//	cs:k:{name}    the passkeys that the platform accepts, until Life has passed
//	cs:k:{name}:u  the user that passkeys are made for, until 400 days after it was last seen
//	cs:k:{name}:r  what was seen of each registration, until 400 days after it was last read
//
// Life is the longest life of a session. All fields are required; NewPasskeys makes it usable.
type Passkeys struct {
	Redis redis.Cmdable
	Keys  seal.Keys
	Life  time.Duration
	Now   func() time.Time
	// kinds remembers the kinds of registrations, which never change, for a day.
	kinds *seal.Memo[registration, platform.Kind]
}

// registration is a registration at the platform.
type registration struct{ person, id string }

// rememberedKinds limits each generation of Passkeys.kinds.
const rememberedKinds = 8192

// NewPasskeys returns p, which must not be used otherwise.
func NewPasskeys(p Passkeys) *Passkeys {
	p.kinds = seal.NewMemo[registration, platform.Kind](rememberedKinds)
	return &p
}

// userLife is how long the user of passkeys is kept.
const userLife = 400 * 24 * time.Hour

// PasskeyUser is the user that a person's passkeys are made for.
type PasskeyUser struct {
	RPID string `cbor:"1,keyasint,omitempty"`
	// Handle is the user handle; none if it was never seen.
	Handle []byte `cbor:"2,keyasint,omitempty"`
	// Name is the name that new passkeys get; "" if it was never seen.
	Name string `cbor:"3,keyasint,omitempty"`
}

// AcceptedPasskeys are the passkeys that an authentication request of the platform named.
type AcceptedPasskeys struct {
	// Credentials are their ids; nil if the platform named none, not even by an empty list.
	Credentials [][]byte `cbor:"1,keyasint"`
	RPID        string   `cbor:"2,keyasint,omitempty"`
	// Ceremony is SHA-256 of the request's challenge, if somebody signed in with it.
	Ceremony []byte `cbor:"3,keyasint,omitempty"`
	// At is when the request was asked for by itself, in Unix seconds, SignIn for which
	// sign-in, and List which passkeys were listed then. See AskedFor.
	At     int64  `cbor:"4,keyasint,omitempty"`
	SignIn string `cbor:"5,keyasint,omitempty"`
	List   string `cbor:"6,keyasint,omitempty"`
}

// signInOf names the last sign-in of a session.
func signInOf(s *session.Session) string { return fmt.Sprint(s.ID(), " ", s.AuthenticatedAt().Unix()) }

// listOf names a list of registrations, in any order.
func listOf(registrations []string) string {
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(registrations)), "\n")))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// AskedFor returns a as asked for at that time, for the last sign-in of s, while the platform
// listed these registrations of passkeys.
func (a AcceptedPasskeys) AskedFor(s *session.Session, registrations []string, at time.Time) AcceptedPasskeys {
	a.At, a.SignIn, a.List = at.Unix(), signInOf(s), listOf(registrations)
	return a
}

// Holds reports whether a still holds in s, while the platform lists these registrations of
// passkeys: it comes from the last sign-in of s, or was asked for since that and the list has
// not changed.
func (a AcceptedPasskeys) Holds(s *session.Session, registrations []string) bool {
	if a.At == 0 {
		used, ok := s.Passkey()
		return ok && used.At.Equal(s.AuthenticatedAt()) && string(used.Ceremony) == string(a.Ceremony) && len(a.Credentials) == len(registrations)
	}
	return a.List == listOf(registrations) && (a.SignIn == signInOf(s) || a.At > s.AuthenticatedAt().Unix())
}

// Of returns what is kept of person; ok is false if nothing is known of what is accepted.
func (p *Passkeys) Of(ctx context.Context, person string) (user PasskeyUser, accepted AcceptedPasskeys, ok bool, err error) {
	sealer, key := p.place(person)
	values, err := p.Redis.MGet(ctx, key, key+":u").Result()
	if err != nil {
		return user, accepted, false, redisdb.Unavailable(ctx, "account: read a person's passkeys", err)
	}
	ok = open(sealer, values[0], key, &accepted)
	open(sealer, values[1], key+":u", &user)
	return user, accepted, ok, nil
}

// KeepUser keeps the user that person's passkeys are made for. An empty name keeps the one that
// was seen with the same handle before.
func (p *Passkeys) KeepUser(ctx context.Context, person string, user PasskeyUser) error {
	if user.Name == "" {
		known, _, _, err := p.Of(ctx, person)
		if err != nil {
			return err
		}
		if string(known.Handle) == string(user.Handle) {
			user.Name = known.Name
		}
	}
	return p.keep(ctx, person, ":u", user, userLife)
}

// Keep keeps the passkeys of person that the platform accepts.
func (p *Passkeys) Keep(ctx context.Context, person string, accepted AcceptedPasskeys) error {
	return p.keep(ctx, person, "", accepted, p.Life)
}

func (p *Passkeys) place(person string) (seal.Sealer, string) {
	return placeUnder(p.Keys, person)
}

func placeUnder(keys seal.Keys, person string) (seal.Sealer, string) {
	sealer := keys.For("countersign passkeys of " + person)
	return sealer, "cs:k:{" + sealer.Name("passkeys") + "}"
}

func (p *Passkeys) keep(ctx context.Context, person, suffix string, value any, life time.Duration) error {
	plain, err := cbor.Marshal(value)
	if err != nil {
		return errors.Join(errors.New("account: encode a person's passkeys"), err)
	}
	sealer, key := p.place(person)
	key += suffix
	if err := p.Redis.Set(ctx, key, sealer.Seal(plain, []byte(key)), life).Err(); err != nil {
		return redisdb.Unavailable(ctx, "account: keep a person's passkeys", err)
	}
	return nil
}

// open fills in value; false if there is none that opens.
func open(sealer seal.Sealer, sealed any, key string, value any) bool {
	text, ok := sealed.(string)
	if !ok {
		return false
	}
	plain, ok := sealer.Open([]byte(text), []byte(key))
	return ok && cbor.Unmarshal(plain, value) == nil
}
