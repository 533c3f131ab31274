package audit_test

import (
	"bytes"
	"sync"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/redisdb/dbtest"
	"countersign/internal/seal/sealtest"
)

// Changes at the same moment are all kept, in whichever order they come.
func TestPreferences_ConcurrentChangesKept(t *testing.T) {
	store := audit.NewPreferenceStore(dbtest.Embedded(t).Client, sealtest.Keys(bytes.Repeat([]byte{1, 2}, 16)))
	for range 20 {
		changes := []func(*audit.Preferences){
			func(p *audit.Preferences) { p.NoPackages = !p.NoPackages },
			func(p *audit.Preferences) { p.NoticeLanguage += "x" },
			func(p *audit.Preferences) { p.PageLanguage += "y" },
		}
		before, err := store.Of(t.Context(), alice)
		if err != nil {
			t.Fatal(err)
		}
		want := before
		var all sync.WaitGroup
		for _, change := range changes {
			change(&want)
			all.Go(func() {
				if err := store.Change(t.Context(), alice, change); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got, err := store.Of(t.Context(), alice); err != nil || got != want {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	}
}
