package audit

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/redis/go-redis/v9"

	"countersign/internal/redisdb"
	"countersign/internal/seal"
)

// preferencesLife limits how long a choice is kept that nobody reads any more; each notice
// and each look at the account renews it.
const preferencesLife = 400 * 24 * time.Hour

// Preferences hold which e-mails a person wants and in which language. A person who has chosen
// nothing has the zero value.
type Preferences struct {
	// PageLanguage is the BCP 47 tag of the language that the person chose for pages, in
	// whichever browser they chose last, and NoticeLanguage the one for e-mails; "" for none.
	PageLanguage   string `cbor:"1,keyasint,omitempty"`
	NoticeLanguage string `cbor:"2,keyasint,omitempty"`
	// NoPackages says that the person is not told what became of their packages.
	NoPackages bool `cbor:"3,keyasint,omitempty"`
}

// Language returns the language of the person's e-mails; "" if they have chosen none.
func (p Preferences) Language() string { return cmp.Or(p.NoticeLanguage, p.PageLanguage) }

// PreferenceStore keeps people's preferences in Redis, each sealed for its person:
//
//	cs:n:{name}  the preferences of a person; name is HMAC(person)
//
// It is safe for concurrent use.
type PreferenceStore struct {
	redis redis.Cmdable
	keys  seal.Keys
}

// NewPreferenceStore makes a store. The keys are the session keys.
func NewPreferenceStore(client redis.Cmdable, keys seal.Keys) *PreferenceStore {
	return &PreferenceStore{client, keys}
}

// places returns where a person's preferences are, the place to write first; the others are
// of older keys.
func (s *PreferenceStore) places(person string) (all []eventList) {
	for _, key := range s.keys.Each() {
		sealer := key.For("countersign preferences of " + person)
		all = append(all, eventList{"cs:n:{" + sealer.Name("preferences") + "}", sealer})
	}
	return all
}

// Of returns the person's preferences. The error is an outage.
func (s *PreferenceStore) Of(ctx context.Context, person string) (Preferences, error) {
	now, err := s.read(ctx, person)
	if err != nil || !now.oldKey {
		return now.Preferences, err
	}
	_, err = s.write(ctx, person, now) // a request that writes at the same moment has read them too
	return now.Preferences, err
}

// storedPreferences are preferences as they are in Redis.
type storedPreferences struct {
	Preferences
	// sealed is the text in the place to write first; "" if there is none.
	sealed string
	// oldKey says that they are sealed under an older key, which will go.
	oldKey bool
}

func (s *PreferenceStore) read(ctx context.Context, person string) (now storedPreferences, err error) {
	places := s.places(person)
	p := s.redis.Pipeline()
	replies := make([]*redis.StringCmd, len(places))
	for i, at := range places {
		replies[i] = p.GetEx(ctx, at.key, preferencesLife)
	}
	_, _ = p.Exec(ctx) // each reply has its own error
	for i, at := range places {
		text, err := replies[i].Bytes()
		switch {
		case err == redis.Nil: //nolint:errorlint // go-redis returns it as it is
			continue
		case err != nil:
			return now, redisdb.Unavailable(ctx, "audit: read preferences", err)
		case i == 0:
			now.sealed = string(text)
		}
		if plain, ok := at.sealer.Open(text, []byte(at.key)); ok && cbor.Unmarshal(plain, &now.Preferences) == nil {
			now.oldKey = i > 0
			return now, nil
		}
		now.Preferences = Preferences{} // not sealed by us
	}
	return now, nil
}

// Change reads the person's preferences, applies change and writes them. If somebody else
// writes in between, it begins again, so that no change undoes another. The error is an outage.
func (s *PreferenceStore) Change(ctx context.Context, person string, change func(*Preferences)) error {
	for {
		now, err := s.read(ctx, person)
		if err != nil {
			return err
		}
		change(&now.Preferences)
		if done, err := s.write(ctx, person, now); done || err != nil {
			return err
		}
	}
}

// replaceScript writes a text if the one of before is still there: KEYS[1], ARGV the text of
// before ("" for none), the new one and its life in milliseconds. It returns 1, or 0 if
// another is there.
var replaceScript = redis.NewScript(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`)

// write writes the preferences; false if they have changed since they were read.
func (s *PreferenceStore) write(ctx context.Context, person string, now storedPreferences) (bool, error) {
	plain, err := cbor.Marshal(now.Preferences)
	if err != nil {
		return false, fmt.Errorf("audit: encode preferences: %w", err)
	}
	at := s.places(person)[0]
	done, err := replaceScript.Run(ctx, s.redis, []string{at.key}, now.sealed, at.sealer.Seal(plain, []byte(at.key)), preferencesLife.Milliseconds()).Bool()
	if err != nil {
		return false, redisdb.Unavailable(ctx, "audit: write preferences", err)
	}
	return done, nil
}
