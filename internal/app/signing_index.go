package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/handlers"
	"countersign/internal/ratelimit"
	"countersign/internal/redisdb"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/web"
)

// openIndex connects to the index of packages, where signing is in use.
func (a *App) openIndex(metrics *web.Metrics) error {
	if a.signing == nil {
		return nil
	}
	with, err := a.forIndexes()
	if err != nil {
		return err
	}
	unread := signing.NewUnread(a.logger)
	a.signingClient = signing.New(a.signing, a.config.Paths).Telling(unread)
	a.packages, err = index.New(index.Options{
		Redis: a.redis.Client, Keys: a.config.AccessKeys, Platform: platformPackages{a.signingClient}, Leases: with.leases,
		Lookup: with.lookup, Sweep: a.config.Signing.Sweep, Logger: a.logger, Note: unread.Note, Now: a.now,
	})
	if err == nil {
		metrics.Packages(a.packages.Stats)
	}
	return err
}

// indexing is what both indexes need.
type indexing struct {
	leases *redisdb.Leases
	lookup func(ctx context.Context, session string) error
}

func (a *App) forIndexes() (indexing, error) {
	leases, err := a.leases()
	if err != nil {
		return indexing{}, err
	}
	limiter, err := a.limiter()
	if err != nil {
		return indexing{}, err
	}
	limit, err := ratelimit.Parse(a.config.Rates.Lookup)
	return indexing{leases, func(ctx context.Context, session string) error {
		return limiter.Take(ctx, ratelimit.Count{Name: "lookup", Subject: session, Limit: limit})
	}}, err
}

// limiter counts what people have the platform asked.
func (a *App) limiter() (*ratelimit.Limiter, error) {
	key, err := hkdf.Key(sha256.New, a.config.DecoyKey, nil, "countersign rate limits", sha256.Size)
	if err != nil {
		return nil, err
	}
	return ratelimit.New(a.redis.Client, key), nil
}

// callbacks are the platform's, of the services in use.
func (a *App) callbacks() handlers.Callbacks {
	var taken handlers.Callbacks
	if a.packages != nil {
		taken.SigningKey, taken.KeepSigning = a.config.Signing.CallbackKey, a.signingChanged
	}
	if a.verification != nil {
		taken.VerificationKey, taken.VerificationChanged = a.config.IDV.CallbackKey, a.verification.Changed
	}
	return taken
}

// platformPackages is the platform as the index needs it.
type platformPackages struct{ *signing.Client }

// Visibility is, by document, the roles that see it.
func (p platformPackages) Visibility(ctx context.Context, id string) (map[string][]string, error) {
	v, err := p.Client.Visibility(ctx, id)
	if err != nil {
		return nil, err
	}
	roles := map[string][]string{}
	for _, d := range v.Configurations {
		roles[d.Document] = d.Roles
	}
	return roles, nil
}

// Packages walks a listing.
func (p platformPackages) Packages(ctx context.Context, l index.Listing) iter.Seq2[jsontext.Value, error] {
	return p.Windows(ctx, queryOf(l))
}

// Count is how many packages a listing has.
func (p platformPackages) Count(ctx context.Context, l index.Listing) (int, error) {
	return p.Client.Count(ctx, queryOf(l))
}

// queryOf is the listing as the platform is asked for it.
func queryOf(l index.Listing) signing.Query {
	q := signing.Query{Type: l.Type, UpdatedFrom: l.Since, Sort: "created", Ascending: true}
	if l.Trashed {
		q.Folder = "trashed"
	}
	return q
}
