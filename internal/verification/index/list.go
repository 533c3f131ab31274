package index

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
	"countersign/internal/verification"
)

// TransactionQuery asks for a part of an own list of transactions.
type Query struct {
	// Status is the only one that is listed, or Underway or Over; "" is any.
	Status string
	// From and To are the first and the last, from 1 on.
	From, To int
}

// TransactionPage is a part of an own list, and how many the whole has.
type Page struct {
	Count   int    `json:"count"`
	Results []Item `json:"results"`
}

// TransactionItem is a transaction as last seen.
type Item struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Language string    `json:"language"`
	// Documents is how many there are.
	Documents int `json:"documents"`
	// Result is Undefined, Passed or Failed.
	Result string `json:"result"`
	// ErasureAt is when it is erased; nil for one that is not marked.
	ErasureAt *time.Time `json:"erasureAt"`
}

// List is a part of what person started, the newest first; operators list the whole
// index. Redis answers it alone; the error is an outage.
func (t *Index) List(ctx context.Context, person access.Person, q Query) (Page, error) {
	if err := t.forgetErased(ctx); err != nil {
		return Page{}, err
	}
	s, err := t.spaces.Space(ctx)
	if err != nil {
		return Page{}, err
	}
	of := startedByUser(person.User)
	if person.Operator {
		of = everyTransaction
	}
	key := s.List(access.List{Of: of, Bucket: q.Status})
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

// records are those of names that there still are.
func (t *Index) records(ctx context.Context, s *access.Space, names []string) ([]*record, error) {
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

// erasedAtOnce is how many erased transactions are forgotten at once, at most.
const erasedAtOnce = 1000

// forgetErased takes out of the index what was to be erased by now.
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
			err = t.Gone(ctx, record.ID)
		}
	}
	return err
}

func (t *record) item() Item {
	item := Item{
		ID: t.ID, Status: t.Status, Created: utc(t.Created), Updated: utc(t.Updated),
		Language: t.Language, Documents: t.Documents, Result: t.Result,
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
