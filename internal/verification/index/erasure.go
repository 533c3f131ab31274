package index

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"countersign/internal/access"
)

// erasedFor limits how long the index remembers that a transaction was erased.
const erasedFor = 24 * time.Hour

// ErasedCheck is what the index remembers of an erased transaction, for a day: neither a name
// nor a state.
type ErasedCheck struct {
	ID string
	At time.Time
}

// erasedList is the bucket of erased transactions. Its members are sealed ids by the time
// of erasure; nothing else is kept, so that a list needs no record.
const erasedList = "\x00erased"

// ErasedChecks returns the transactions of a person's own list that were erased within the last
// day, the newest erasure first; for an operator, of the list of all. The error is an
// outage.
func (t *Index) ErasedChecks(ctx context.Context, person access.Person) ([]ErasedCheck, error) {
	if err := t.forgetErased(ctx); err != nil {
		return nil, err
	}
	s, err := t.spaces.Space(ctx)
	if err != nil {
		return nil, err
	}
	key := s.List(access.List{Of: listOf(person), Bucket: erasedList})
	within := &redis.ZRangeBy{Min: "(" + millis(t.now().Add(-erasedFor)), Max: "+inf", Count: erasedAtOnce}
	found, err := t.spaces.Redis.ZRevRangeByScoreWithScores(ctx, key, within).Result()
	if err != nil {
		return nil, access.Outage(ctx, "list erased transactions", err)
	}
	var erased []ErasedCheck
	for _, one := range found {
		sealed, _ := one.Member.(string)
		if id, ok := s.Sealer.Open([]byte(sealed), []byte(key)); ok {
			erased = append(erased, ErasedCheck{string(id), utc(int64(one.Score))})
		}
	}
	return erased, nil
}

// listOf returns the owner of a person's own list; an operator's holds all transactions.
func listOf(person access.Person) string {
	if person.Operator {
		return everyTransaction
	}
	return startedByUser(person.User)
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
