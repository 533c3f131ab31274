package idempotency_test

import (
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal/sealtest"
)

func TestValidKey(t *testing.T) {
	t.Parallel()
	for key, valid := range map[string]bool{
		"a": true, "8e03978e-40d5-43e8-bc93-6894a57f9324": true, `"quoted"`: true, "!~": true,
		strings.Repeat("k", 255): true, strings.Repeat("k", 256): false,
		"": false, " ": false, "a b": false, "a\tb": false, "a\x7f": false, "ä": false, "a\x00": false, "a\u00a0b": false,
	} {
		if got := idempotency.ValidKey(key); got != valid {
			t.Errorf("%q: %v", key, got)
		}
	}
}

// TestKeys_Rotated reads records written under another key: while nodes list the keys in
// different orders, and after the old key is removed.
func TestKeys_Rotated(t *testing.T) {
	t.Parallel()
	client := dbtest.Embedded(t).Client
	before, during, after := node(client, sealtest.Keys(aKey(1))), node(client, sealtest.Keys(aKey(1), aKey(2))), node(client, sealtest.Keys(aKey(2), aKey(1)))
	p := newPlatform(t)
	expect(t, before, aRequest(), p, outcome{body: `{"id":"1"}`})
	expect(t, during, aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	expect(t, after, aRequest(), p, outcome{body: `{"id":"1"}`, replayed: true})
	other := func(r *idempotency.Request) { r.Key = "other" }
	expect(t, after, with(other), p, outcome{body: `{"id":"2"}`})
	expect(t, during, with(other), p, outcome{body: `{"id":"2"}`, replayed: true})
	expect(t, node(client, sealtest.Keys(aKey(3))), with(other), p, outcome{body: `{"id":"3"}`})
}

// TestStore_UnreadableRequest tries a request that cannot be digested, as a first use and as a
// repetition.
func TestStore_UnreadableRequest(t *testing.T) {
	t.Parallel()
	s := node(dbtest.Embedded(t).Client, sealtest.Keys(aKey(1)))
	p := newPlatform(t)
	broken := func(r *idempotency.Request) {
		r.ContentType, r.Body = "multipart/form-data; boundary=b", strings.NewReader("--b\r\n\r\nno end")
	}
	expect(t, s, with(broken), p, outcome{key: fault.RequestMalformed})
	expect(t, s, aRequest(), p, outcome{body: `{"id":"1"}`})
	expect(t, s, with(broken), p, outcome{key: fault.RequestMalformed})
	if p.count() != 1 {
		t.Errorf("%d made", p.count())
	}
}
