package index

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/verification"
)

// Query asks for a part of a person's own list.
type Query struct {
	// Status limits the list to one status, or to Underway or Over; "" lists all.
	Status string
	// From and To are the positions of the first and the last item, counted from 1.
	From, To int
}

// Page is a part of a person's own list. Count is the length of the whole list.
type Page struct {
	Count   int    `json:"count"`
	Results []Item `json:"results"`
}

// Item is a transaction as the index last saw it.
type Item struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Language string    `json:"language"`
	// Documents is the number of documents.
	Documents int `json:"documents"`
	// Result is Undefined, Passed or Failed.
	Result string `json:"result"`
	// ErasureAt is the time of the erasure; nil if the transaction is not marked.
	ErasureAt *time.Time `json:"erasureAt"`
	// Of is the name of the person being verified, for pages; "" if it is unknown.
	Of string `json:"-"`
	// About identifies the subject.
	About About `json:"-"`
}

// About identifies the subject of a transaction.
type About int

// The subjects of a transaction. A record of an earlier release does not tell.
const (
	AboutUnknown About = iota
	AboutStarter
	AboutOther
)

func aboutOf(by Starter) About {
	switch {
	case by.User == "":
		return AboutUnknown
	case by.Self:
		return AboutStarter
	}
	return AboutOther
}

// List returns a part of the transactions that person started, the newest first; for an
// operator, of all transactions in the index. It does not call the platform; the error is
// an outage.
func (t *Index) List(ctx context.Context, person access.Person, q Query) (Page, error) {
	if err := t.forgetErased(ctx); err != nil {
		return Page{}, err
	}
	s, err := t.spaces.Space(ctx)
	if err != nil {
		return Page{}, err
	}
	key := s.List(access.List{Of: listOf(person), Bucket: q.Status})
	p := t.spaces.Redis.Pipeline()
	count, names := p.ZCard(ctx, key), p.ZRevRange(ctx, key, int64(q.From)-1, int64(q.To)-1)
	if _, err := p.Exec(ctx); err != nil {
		return Page{}, access.Outage(ctx, "list transactions", err)
	}
	page := Page{Count: int(count.Val()), Results: []Item{}}
	records, err := t.records(ctx, s, names.Val())
	for _, record := range records {
		page.Results = append(page.Results, record.item())
	}
	return page, err
}

// records returns the records of names, leaving out those that no longer exist.
func (t *Index) records(ctx context.Context, s *access.Namespace, names []string) ([]*record, error) {
	if len(names) == 0 {
		return nil, nil
	}
	reply, err := t.spaces.Redis.HMGet(ctx, s.Records(), names...).Result()
	if err != nil {
		return nil, access.Outage(ctx, "read transactions", err)
	}
	var records []*record
	for i, sealed := range access.Texts(reply) {
		if record := openRecord(s.Sealer, names[i], sealed); record != nil {
			records = append(records, record)
		}
	}
	return records, nil
}

// erasedAtOnce limits the erased transactions that one call of forgetErased drops.
const erasedAtOnce = 1000

// forgetErased drops from the index the transactions whose time of erasure has passed.
func (t *Index) forgetErased(ctx context.Context) error {
	s, err := t.spaces.Space(ctx)
	if err != nil {
		return err
	}
	due := &redis.ZRangeBy{Min: "-inf", Max: strconv.FormatInt(t.now().UnixMilli(), 10), Count: erasedAtOnce}
	names, err := t.spaces.Redis.ZRangeByScore(ctx, erasures(s), due).Result()
	if err != nil {
		return access.Outage(ctx, "find erased transactions", err)
	}
	records, err := t.records(ctx, s, names)
	for _, record := range records {
		if err == nil {
			err = t.drop(context.WithoutCancel(ctx), record.ID, time.Time{})
		}
	}
	return err
}

func (t *record) item() Item {
	item := Item{
		ID: t.ID, Status: t.Status, Created: utc(t.Created), Updated: utc(t.Updated),
		Language: t.Language, Documents: t.Documents, Result: t.Result, Of: t.Of, About: t.About,
	}
	if item.Result == "" {
		item.Result = verification.Undefined
	}
	if t.ErasureAt != 0 {
		at := utc(t.ErasureAt)
		item.ErasureAt = &at
	}
	return item
}

func utc(milliseconds int64) time.Time { return time.UnixMilli(milliseconds).UTC() }
