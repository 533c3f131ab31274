package platform_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/signing"
	signingapi "countersign/internal/signing/platform"
)

// smallWindow limits the bytes of a window in these tests, in place of the usual 16 MiB.
// A long package has nearly as many.
const smallWindow = 64 << 10

// bulky is a platform some of whose packages are long, or break each listing they are in.
type bulky struct {
	mu       sync.Mutex
	packages []string    // "" cannot be read, in the listing or alone
	unlisted []int       // cannot be read in the listing; alone they can
	gone     []int       // from the listing
	updated  map[int]int // when some were updated, as second has it; others at 0

	listedIDs func() // what happens once the ids of a window were told

	lists, ids, gets, failed, bytes int
}

// startBulky is a platform of that many packages, and its client.
func startBulky(t *testing.T, count int, long ...int) (*bulky, *signingapi.Client) {
	t.Helper()
	b := &bulky{}
	for i := range count {
		b.packages = append(b.packages, packageOf(i, 100))
	}
	for _, i := range long {
		b.packages[i] = packageOf(i, smallWindow*15/16)
	}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL)
	c.TakeWindowsOf(smallWindow)
	return b, c
}

func packageOf(i, length int) string {
	return fmt.Sprintf(`{"id":"p%d","description":"%s"}`, i, strings.Repeat("x", length))
}

func (b *bulky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	q := r.URL.Query()
	var body string
	if i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/api/packages/p")); err == nil {
		b.gets++
		body = b.packages[i]
	} else if from, _ := strconv.Atoi(q.Get("from")); q.Get("fields") == "id" {
		b.ids++
		body = b.listing(from, q.Get("to"), q.Get("lastUpdatedStartDate"), func(i int) string { return fmt.Sprintf(`{"id":"p%d"}`, i) })
		if b.listedIDs != nil {
			b.listedIDs()
		}
	} else {
		b.lists++
		if body = b.listing(from, q.Get("to"), q.Get("lastUpdatedStartDate"), b.listed); body == "" || len(body) > smallWindow {
			b.failed++
		}
	}
	if body == "" {
		w.WriteHeader(http.StatusInternalServerError)
	}
	sent, _ := w.Write([]byte(body))
	b.bytes += min(sent, smallWindow)
}

// listed is a package as the listing has it.
func (b *bulky) listed(i int) string {
	if slices.Contains(b.unlisted, i) {
		return ""
	}
	return b.packages[i]
}

// listing is a window; "" where a package of it is "".
func (b *bulky) listing(from int, to, since string, show func(int) string) string {
	last, _ := strconv.Atoi(to)
	there := slices.DeleteFunc(every(1, len(b.packages)), func(i int) bool {
		from, _ := time.Parse(time.RFC3339, since) // "" is all
		return slices.Contains(b.gone, i) || second(b.updated[i]).Before(from)
	})
	var results []string
	for _, i := range there[min(from-1, len(there)):min(last, len(there))] {
		if results = append(results, show(i)); show(i) == "" {
			return ""
		}
	}
	return fmt.Sprintf(`{"count":%d,"results":[%s]}`, len(there), strings.Join(results, ","))
}

// reset forgets what was asked.
func (b *bulky) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lists, b.ids, b.gets, b.failed, b.bytes = 0, 0, 0, 0, 0
}

// swept walks the listing as a sweep does: how many packages came, and how many of these
// had nothing to read.
func swept(t *testing.T, c *signingapi.Client) (given, empty int) {
	t.Helper()
	for value, err := range c.Windows(t.Context(), signing.Query{Sort: "created", Ascending: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if given++; value == nil {
			empty++
		}
	}
	return given, empty
}

// every is each n-th number below count.
func every(n, count int) (all []int) {
	for i := n / 2; i < count; i += n {
		all = append(all, i)
	}
	return all
}

// Any number of long packages is found with as many bytes as they have, twice at most, and
// a further walk asks for no window again that they fill.
func TestLongPackagesDoNotSlowAWalk(t *testing.T) {
	for name, long := range map[string][]int{
		"one":                     {37},
		"some":                    every(9, 250),
		"neighbours":              {10, 11, 12, 13, 14, 98, 99, 100, 101, 198, 199, 249},
		"every third":             every(3, 250),
		"all of the first window": every(1, 100),
		"all":                     every(1, 250),
	} {
		t.Run(name, func(t *testing.T) {
			b, c := startBulky(t, 250, long...)
			size := len(long)*smallWindow + 250*200
			for turn, most := range []int{5 * size / 2, 5 * size / 4} {
				if turn == 0 {
					most += 3 * 16 * smallWindow / 2 // the calls for three windows of nothing else
				}
				b.reset()
				if given, empty := swept(t, c); given != 250 || empty > 0 {
					t.Fatalf("walk %d gave %d, %d of them empty", turn+1, given, empty)
				}
				t.Logf("walk %d: %d windows, of which %d too long, %d of ids, %d alone, %d bytes for %d", turn+1, b.lists, b.failed, b.ids, b.gets, b.bytes, size)
				if b.bytes > most {
					t.Errorf("walk %d moved %d bytes for %d", turn+1, b.bytes, size)
				}
			}
			if b.failed > 0 {
				t.Errorf("%d windows were too long once more", b.failed)
			}
		})
	}
}

// Packages that break the listing are found once, at most sixteen calls for a window and walk;
// further walks go around them.
func TestAFurtherWalkGoesAroundWhatCannotBeRead(t *testing.T) {
	b, c := startBulky(t, 250)
	for _, i := range []int{3, 99, 140, 141, 220} {
		b.packages[i] = ""
	}
	b.unlisted = []int{60}
	for turn := range 3 {
		b.reset()
		if given, empty := swept(t, c); given != 250 || empty != 5 {
			t.Fatalf("walk %d gave %d, %d of them empty", turn+1, given, empty)
		}
		t.Logf("walk %d: %d windows, of which %d failed, %d of ids, %d alone", turn+1, b.lists, b.failed, b.ids, b.gets)
	}
	if b.failed > 0 || b.lists+b.ids > 20 || b.gets > 12 {
		t.Errorf("%d windows failed of %d, and %d packages were asked for alone", b.failed, b.lists, b.gets)
	}
	if n := len(listedNow(t, c)); n != 245 {
		t.Errorf("the list has %d", n)
	}
}

// listedNow are the packages that an operator's export lists.
func listedNow(t *testing.T, c *signingapi.Client) (all []string) {
	t.Helper()
	for value, err := range c.PublicWindows(t.Context(), signing.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(value))
	}
	return all
}

// What was mended at the platform is listed like everything else again.
func TestWhatWasMendedIsForgotten(t *testing.T) {
	b, c := startBulky(t, 50, 7)
	b.packages[30] = ""
	b.unlisted = []int{40}
	swept(t, c)
	b.mu.Lock()
	for _, i := range []int{7, 30, 40} {
		b.packages[i] = packageOf(i, 200)
	}
	b.unlisted = nil
	b.mu.Unlock()
	swept(t, c)
	b.reset()
	if given, empty := swept(t, c); given != 50 || empty > 0 || b.lists != 1 || b.ids+b.gets > 0 {
		t.Errorf("%d packages, %d empty, by %d windows, %d of ids and %d calls for one", given, empty, b.lists, b.ids, b.gets)
	}
}

// A page shows long packages, and finds them at once the next time.
func TestAPageGoesAroundLongPackages(t *testing.T) {
	b, c := startBulky(t, 60, every(7, 60)...)
	for turn := range 2 {
		b.reset()
		page, err := c.Window(t.Context(), signing.Query{}, 1, 50)
		if err != nil || page.Count != 60 {
			t.Fatalf("%d, %v", page.Count, err)
		}
		i := 0
		for value, err := range page.Whole() {
			if err != nil || string(value) != b.packages[i] {
				t.Fatalf("package %d is %.40s, %v", i, value, err)
			}
			i++
		}
		if i != 50 || turn == 1 && b.failed > 0 {
			t.Errorf("page %d has %d, and %d windows failed", turn+1, i, b.failed)
		}
	}
}

// Packages that go while a window is read around others move those behind them: none of these
// is missed.
func TestPackagesMoveWhileAWindowIsReadAround(t *testing.T) {
	b, c := startBulky(t, 90, 20, 50)
	swept(t, c)
	b.listedIDs = func() { b.gone = append(b.gone, 3, 30) }
	if given, empty := swept(t, c); given != 90 || empty > 0 {
		t.Errorf("%d packages, %d of them empty", given, empty)
	}
	b.listedIDs = nil
	if given, empty := swept(t, c); given != 88 || empty > 0 {
		t.Errorf("then %d packages, %d of them empty", given, empty)
	}
}

// What is long is not read again by a walk of what was updated, unless it was.
func TestChangesLeaveOutLongPackagesThatAreKnown(t *testing.T) {
	b, c := startBulky(t, 60, 20, 40, 59)
	b.updated = map[int]int{20: 1, 40: 2, 59: 3}
	q := signing.Query{Sort: "created", Ascending: true, UpdatedFrom: second(0)}
	known := map[string]string{"p20": stamp(1), "p40": stamp(2), "p59": ""}
	changes := func() (long []string) {
		t.Helper()
		for value, err := range c.Changes(t.Context(), q, func(_ context.Context, id string) (string, error) { return known[id], nil }) {
			if err != nil {
				t.Fatal(err)
			}
			if len(value) > 1000 {
				long = append(long, string(value[:len(`{"id":"p20"`)]))
			}
		}
		return long
	}
	changes() // which ones are long is not known yet
	b.reset()
	if got := changes(); !slices.Equal(got, []string{`{"id":"p59"`}) || b.gets != 1 {
		t.Errorf("of three long packages of which one is not known came %v, by %d calls", got, b.gets)
	}
	known["p59"] = stamp(3)
	b.updated[40] = 4
	b.reset()
	if got := changes(); !slices.Equal(got, []string{`{"id":"p40"`}) || b.gets != 1 {
		t.Errorf("of three of which one was updated came %v, by %d calls", got, b.gets)
	}
	if given, empty := swept(t, c); given != 60 || empty > 0 {
		t.Errorf("a walk of all gives %d, %d of them empty", given, empty)
	}
}

// second is a moment of the tests, stamp how the platform writes it.
func second(n int) time.Time { return time.Date(2030, 1, 1, 0, 0, n, 0, time.UTC) }

func stamp(n int) string { return second(n).Format(time.RFC3339) }
