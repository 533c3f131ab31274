package platform_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/signing"
)

// A platform that leaves the last package of a window out tells the ids of one that cannot be
// read in pieces, even if it was not known yet that it does: none is lost.
func TestLister_ExclusiveBounds(t *testing.T) {
	const count = 10
	broken := func(i int) bool { return i == 1 || i == 6 } // breaks each listing; by its id it can be read
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if id, one := strings.CutPrefix(r.URL.Path, "/api/packages/p"); one {
			_, _ = fmt.Fprintf(w, `{"id":"p%s","roles":[{}]}`, id)
			return
		}
		calls++
		q := r.URL.Query()
		from, _ := strconv.Atoi(q.Get("from"))
		to, _ := strconv.Atoi(q.Get("to"))
		var results []string
		for i := from; i < to && i <= count; i++ { // without `to`
			if broken(i) && q.Get("fields") != "id" {
				_, _ = w.Write([]byte("{"))
				return
			}
			results = append(results, fmt.Sprintf(`{"id":"p%d"}`, i))
		}
		_, _ = fmt.Fprintf(w, `{"count":%d,"results":[%s]}`, count, strings.Join(results, ","))
	}))
	t.Cleanup(server.Close)
	ids, err := idsOf(t, clientOf(t, server.URL).Lister(signing.Query{}).Public(t.Context()))
	if err != nil || len(ids) != count {
		t.Errorf("after %d calls %d of %d: %v, %v", calls, len(ids), count, ids, err)
	}
}
