package index

import (
	"context"
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
	"countersign/internal/signing/platform"
)

// OfClient returns the platform behind a client.
func OfClient(c *platform.Client) Platform { return clientPlatform{c} }

type clientPlatform struct{ *platform.Client }

// Visibility returns the roles that see a document, by its id.
func (p clientPlatform) Visibility(ctx context.Context, id string) (map[string][]string, error) {
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
func (p clientPlatform) Packages(ctx context.Context, q signing.Query) iter.Seq2[jsontext.Value, error] {
	return p.Lister(q).Each(ctx)
}

// Count returns the number of packages of a listing.
func (p clientPlatform) Count(ctx context.Context, q signing.Query) (int, error) {
	return p.Lister(q).Count(ctx)
}
