package index_test

import (
	"strings"
	"testing"

	"countersign/internal/access"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/signing/index"
)

// A record whose addresses an older release folded by Unicode is corrected whenever its
// package is next read: by the API or a page, a callback, or a sweep, of which the daily one
// reads every package.
func TestRecord_FoldedAddressesCorrected(t *testing.T) {
	t.Parallel()
	kate := access.Person{User: "kate@sandbox", Email: "kate@corp.test"}
	kelvin := access.Person{User: "kelvin@sandbox", Email: "\u212aate@corp.test"}
	for name, read := range map[string]func(*testing.T, *index.Index) error{
		"by the API": func(t *testing.T, x *index.Index) error { return x.Refresh(t.Context(), "p") },
		"by a callback": func(t *testing.T, x *index.Index) error {
			if err := x.Callback(t.Context(), event("X", "p")); err != nil {
				return err
			}
			return x.ProcessCallbacksNow(t.Context())
		},
		"by a sweep": func(t *testing.T, x *index.Index) error { return x.SweepNow(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &lying{packages: map[string]string{"p": strings.ReplaceAll(of("p", ""), bob.Email, kelvin.Email)}}
			x := node(t, dbtest.Embedded(t).Client, p, func(o *index.Options) { o.Sweep = 1 })
			if err := x.SweepNow(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := x.WriteFolded(t.Context(), "p", strings.ToLower); err != nil {
				t.Fatal(err)
			}
			if got := names(t, x, kate, index.Query{}); got != "Loan p" {
				t.Fatalf("the older release's list of Kate is %q", got)
			}
			if err := read(t, x); err != nil {
				t.Fatal(err)
			}
			if got := names(t, x, kate, index.Query{}); got != "" {
				t.Errorf("Kate's list is %q", got)
			}
			if got := names(t, x, kelvin, index.Query{}); got != "Loan p" {
				t.Errorf("the signer's list is %q", got)
			}
			denied(t, x, kate, "p")
		})
	}
}
