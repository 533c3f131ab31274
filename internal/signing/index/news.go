package index

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

// newsLife limits how long news wait for their person to come back.
const newsLife = 90 * 24 * time.Hour

// The buckets of a person's news. Both are hashes: over has the names of packages that
// ended, signatures has one field for each signature, with who made it, sealed as a name.
const (
	newsOver       = "news over"
	newsSignatures = "news signatures"
)

// maxNews limits the ended packages of a person that are counted.
const maxNews = 100

// News is what happened to a person's packages since they last looked.
type News struct {
	// Over are packages that ended: completed, declined or expired.
	Over []Item
	// Signatures is the number of signatures by others in packages that the person owns.
	Signatures int

	over, signatures newsRead
}

// newsRead are the fields of a person's news that were read, by their keys.
type newsRead map[string][]string

// newsKeys returns the keys of a person's news of a kind.
func newsKeys(s *access.Namespace, person access.Person, bucket string) []string {
	of := []string{ownedBy(person.User)}
	if person.Email != "" {
		of = append(of, sentBy(person.Email), signedBy(person.Email))
	}
	keys := make([]string, len(of))
	for i, one := range of {
		keys[i] = s.List(access.List{Of: one, Bucket: bucket})
	}
	return keys
}

// News returns what happened to the person's packages since MarkSeen and MarkSignaturesSeen.
// The error is an outage.
func (x *Index) News(ctx context.Context, person access.Person) (News, error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return News{}, err
	}
	var n News
	var by, names []string
	if n.over, names, _, err = x.readNews(ctx, newsKeys(s, person, newsOver)); err != nil {
		return News{}, err
	}
	if n.signatures, _, by, err = x.readNews(ctx, newsKeys(s, person, newsSignatures)); err != nil {
		return News{}, err
	}
	own := s.Sealer.Name(signedBy(person.Email))
	for _, one := range by {
		if one != own {
			n.Signatures++
		}
	}
	if names = names[:min(len(names), maxNews)]; len(names) > 0 {
		n.Over, err = x.itemsOf(ctx, person, names)
	}
	return n, err
}

// readNews returns the fields of several hashes, and all of them as one: their sorted names,
// each once, with their values.
func (x *Index) readNews(ctx context.Context, keys []string) (read newsRead, names, values []string, err error) {
	p := x.spaces.Redis.Pipeline()
	replies := make([]*redis.MapStringStringCmd, len(keys))
	for i, key := range keys {
		replies[i] = p.HGetAll(ctx, key)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, nil, nil, access.Outage(ctx, "read news", err)
	}
	read, all := newsRead{}, map[string]string{}
	for i, reply := range replies {
		read[keys[i]] = slices.Collect(maps.Keys(reply.Val()))
		maps.Copy(all, reply.Val())
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		names, values = append(names, name), append(values, all[name])
	}
	return read, names, values, nil
}

// MarkSeen forgets the ended packages of n, which was read before. What happened since then
// stays. The error is an outage.
func (x *Index) MarkSeen(ctx context.Context, n News) error { return x.forget(ctx, n.over) }

// MarkSignaturesSeen is MarkSeen for the signatures of n.
func (x *Index) MarkSignaturesSeen(ctx context.Context, n News) error {
	return x.forget(ctx, n.signatures)
}

func (x *Index) forget(ctx context.Context, read newsRead) error {
	p := x.spaces.Redis.Pipeline()
	for key, fields := range read {
		if len(fields) > 0 {
			p.HDel(ctx, key, fields...)
		}
	}
	if p.Len() == 0 {
		return nil
	}
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "forget news", err)
	}
	return nil
}
