package index_test

import (
	"context"
	"testing"

	"countersign/internal/redisdb/redistest"

	"github.com/redis/go-redis/v9"
)

// A typical package, with two documents and three recipients, takes 3 KiB
// in Redis at most, its place in its lists included.
func TestRecord_TypicalSize(t *testing.T) {
	p := startPlatform(t)
	server := redistest.Start(t)
	client := server.Client()
	x := node(t, client, p)
	loan := sent("Loan agreement with Example Bank", alice.User, bob.Email, "maria.schmidt@corp.test", "jean-luc.martin@corp.test")
	loan["description"] = "The agreement of 12 March with its annexes"
	loan["emailMessage"] = "Please sign both documents until Friday."
	loan["documents"] = []object{
		{"id": "agreement", "name": "Loan agreement", "base64Content": "JVBERi0xLjQ=", "approvals": []object{
			{"role": "bob", "fields": []object{{"type": "SIGNATURE", "subtype": "FULLNAME", "page": 0, "top": 10, "left": 10, "width": 200, "height": 50}}},
			{"role": "maria.schmidt", "fields": []object{{"type": "SIGNATURE", "subtype": "FULLNAME", "page": 0, "top": 90, "left": 10, "width": 200, "height": 50}}},
		}},
		{"id": "annex", "name": "Annex of fees", "base64Content": "JVBERi0xLjQ="},
	}
	const many = 50
	for range many {
		if err := x.Refresh(t.Context(), p.create(loan)); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	redistest.EachKey(t, client, func(ctx context.Context, node redis.Cmdable, key string) {
		used, err := node.MemoryUsage(ctx, key, 0).Result()
		if err != nil {
			t.Fatal(err)
		}
		total += used
	})
	if each := total / many; each > 3<<10 {
		t.Errorf("%d bytes each", each)
	} else {
		t.Logf("%d bytes each", each)
	}
}
