package index

import (
	"context"
	"slices"
	"time"

	"countersign/internal/access"
)

// searchHit is a package that a search found, with the members that order it.
type searchHit struct {
	record, name, status    string
	updated, completed, due time.Time
}

// search returns the names of all the packages that q finds, in its order. Unless the
// lists alone tell, it opens every record of them.
func (x *Index) search(ctx context.Context, person access.Person, q Query) ([]string, error) {
	names, _, _, err := x.readList(ctx, person, q, window{last: -1})
	if err != nil || q.listed() {
		return names, err
	}
	var all []searchHit
	for part := range slices.Chunk(names, chunk) {
		matching, err := x.matching(ctx, person, q, part)
		if err != nil {
			return nil, err
		}
		all = append(all, matching...)
	}
	slices.SortStableFunc(all, func(a, b searchHit) int {
		if q.Ascending {
			return q.compare(a, b)
		}
		return q.compare(b, a)
	})
	names = names[:0]
	for _, f := range all {
		names = append(names, f.record)
	}
	return names, nil
}

// matching returns those of the named records that q finds.
func (x *Index) matching(ctx context.Context, person access.Person, q Query, names []string) (out []searchHit, err error) {
	values, err := x.valuesOf(ctx, names)
	if err != nil {
		return nil, err
	}
	err = x.shown(ctx, person, names, values, func(r *record, p *policy, item []byte) error {
		if found, ok := q.match(p, item, person, x.now()); ok {
			out = append(out, searchHit{r.name, found.Name, p.Status, found.Updated.Time, found.Completed.Time, found.Due.Time})
		}
		return nil
	})
	return out, err
}
