package index_test

import (
	"fmt"
	"testing"

	"countersign/internal/access"
	"countersign/internal/access/accesstest"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
	"countersign/internal/signing/index"
)

// BenchmarkList measures a page of an own list of 100 packages, and of one of 10 000.
func BenchmarkList(b *testing.B) {
	p := startPlatform(b)
	client := accesstest.OpenRedis(b, redisdb.Options{URL: redistest.Start(b).URL()})
	x := node(b, client, p)
	p.send("POST", "/_manage/packages", object{"count": 100, "status": "SENT", "signer": bob.Email, "owner": bob.User})
	p.send("POST", "/_manage/packages", object{"count": 10_000, "status": "SENT", "signer": alice.Email, "owner": alice.User})
	run(b, x)
	built(b, x)
	for count, person := range map[int]access.Person{100: bob, 10_000: alice} {
		for name, q := range map[string]index.Query{"all": {}, "status": {Folder: "SENT"}, "to sign": {Mine: index.MineToSign}} {
			b.Run(fmt.Sprintf("%d %s", count, name), func(b *testing.B) {
				for b.Loop() {
					q.From, q.To = 1, 20
					page, err := x.List(b.Context(), person, q)
					if err != nil || page.Count != count || len(page.Items) != 20 {
						b.Fatal(len(page.Items), page.Count, err)
					}
				}
			})
		}
	}
}

// BenchmarkGrant measures a grant of a person whom the index knows.
func BenchmarkGrant(b *testing.B) {
	p := startPlatform(b)
	x := node(b, accesstest.OpenRedis(b, redisdb.Options{URL: redistest.Start(b).URL()}), p)
	id := p.create(sent("Loan", alice.User, bob.Email))
	if err := x.Refresh(b.Context(), id); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := x.Grant(b.Context(), alice, "session", id); err != nil {
			b.Fatal(err)
		}
	}
}
