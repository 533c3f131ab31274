package index

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/signing"
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
}

var overStatuses = []string{signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired}

func (p *policy) over() bool { return p != nil && slices.Contains(overStatuses, p.Status) }

// owners returns whose the package is, as lists name them.
func (p *policy) owners() (all []string) {
	if p == nil {
		return nil
	}
	if p.Owner != "" {
		all = append(all, ownedBy(p.Owner))
	}
	if p.Sender != "" {
		all = append(all, sentBy(p.Sender))
	}
	return all
}

// people returns whose the package is and who signs it, as lists name them.
func (p *policy) people() []string {
	all := p.owners()
	if p != nil {
		for email := range p.signerAddresses() {
			all = append(all, signedBy(email))
		}
	}
	return all
}

// tell notes for each person what a change that was written means to them. A package that
// the index did not have before is no news. What Redis does not take is not told.
func (x *Index) tell(ctx context.Context, s *access.Space, c change) {
	if c.keep || c.before == nil || c.before.Type != typePackage {
		return
	}
	p := x.spaces.Redis.Pipeline()
	switch {
	case c.after.over() && !c.before.over():
		for _, of := range c.after.people() {
			x.put(ctx, p, s.List(access.List{Of: of, Bucket: newsOver}), c.name, "1")
		}
	case c.before.over() && !c.after.over():
		for _, of := range c.before.people() {
			p.HDel(ctx, s.List(access.List{Of: of, Bucket: newsOver}), c.name)
		}
	}
	x.tellSignatures(ctx, p, s, c)
	if p.Len() == 0 {
		return
	}
	if _, err := p.Exec(ctx); err != nil {
		x.logger.WarnContext(ctx, "news of a package are lost", "cause", err.Error())
	}
}

func (x *Index) put(ctx context.Context, p redis.Pipeliner, key, field, value string) {
	p.HSet(ctx, key, field, value)
	p.Expire(ctx, key, newsLife)
}

// tellSignatures notes new signatures for the owners of a package, while it is with its
// signers.
func (x *Index) tellSignatures(ctx context.Context, p redis.Pipeliner, s *access.Space, c change) {
	underway := c.after != nil && c.after.Status == signing.StatusSent
	signed := map[string]bool{}
	for _, r := range c.before.Roles {
		signed[r.ID] = r.Signed
		if r.Signed && !underway {
			for _, of := range c.before.owners() {
				p.HDel(ctx, s.List(access.List{Of: of, Bucket: newsSignatures}), c.name+" "+s.Sealer.Name("role "+r.ID))
			}
		}
	}
	if !underway || c.before.Status != signing.StatusSent {
		return
	}
	for _, r := range c.after.Roles {
		if was, known := signed[r.ID]; !r.Signed || was || !known || len(r.Signers) == 0 {
			continue
		}
		for _, of := range c.after.owners() {
			x.put(ctx, p, s.List(access.List{Of: of, Bucket: newsSignatures}), c.name+" "+s.Sealer.Name("role "+r.ID), s.Sealer.Name(signedBy(r.Signers[0].Email)))
		}
	}
}

// newsKeys returns the keys of a person's news of a kind.
func newsKeys(s *access.Space, person access.Person, bucket string) []string {
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

// News returns what happened to the person's packages since Seen. The error is an outage.
func (x *Index) News(ctx context.Context, person access.Person) (News, error) {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return News{}, err
	}
	over, err := x.newsOf(ctx, newsKeys(s, person, newsOver))
	if err != nil {
		return News{}, err
	}
	signatures, err := x.newsOf(ctx, newsKeys(s, person, newsSignatures))
	if err != nil {
		return News{}, err
	}
	var n News
	own := s.Sealer.Name(signedBy(person.Email))
	for _, by := range signatures {
		if by != own {
			n.Signatures++
		}
	}
	names := make([]string, 0, len(over))
	for name := range over {
		names = append(names, name)
	}
	slices.Sort(names)
	if names = names[:min(len(names), maxNews)]; len(names) > 0 {
		n.Over, err = x.itemsOf(ctx, person, names)
	}
	return n, err
}

// newsOf returns the fields of several hashes as one.
func (x *Index) newsOf(ctx context.Context, keys []string) (map[string]string, error) {
	p := x.spaces.Redis.Pipeline()
	replies := make([]*redis.MapStringStringCmd, len(keys))
	for i, key := range keys {
		replies[i] = p.HGetAll(ctx, key)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, access.Outage(ctx, "read news", err)
	}
	all := map[string]string{}
	for _, reply := range replies {
		maps.Copy(all, reply.Val())
	}
	return all, nil
}

// SeenOver forgets the person's news of ended packages, SeenSignatures those of
// signatures. The error is an outage.
func (x *Index) SeenOver(ctx context.Context, person access.Person) error {
	return x.seen(ctx, person, newsOver)
}

// SeenSignatures is described at SeenOver.
func (x *Index) SeenSignatures(ctx context.Context, person access.Person) error {
	return x.seen(ctx, person, newsSignatures)
}

func (x *Index) seen(ctx context.Context, person access.Person, bucket string) error {
	s, err := x.spaces.Space(ctx)
	if err != nil {
		return err
	}
	p := x.spaces.Redis.Pipeline()
	for _, key := range newsKeys(s, person, bucket) {
		p.Del(ctx, key)
	}
	if _, err := p.Exec(ctx); err != nil {
		return access.Outage(ctx, "forget news", err)
	}
	return nil
}
