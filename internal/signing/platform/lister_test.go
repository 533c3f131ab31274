package platform_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"countersign/internal/logtest"
	"countersign/internal/signing"
	signingapi "countersign/internal/signing/platform"
)

// smallWindow limits the bytes of a window in these tests, instead of the usual 16 MiB.
// A long package has nearly as many.
const smallWindow = 64 << 10

// bulky is a platform some of whose packages are long, or break each listing they are in.
type bulky struct {
	mu       sync.Mutex
	packages []string // "" cannot be read, in the listing or alone
	unlisted []int    // cannot be read in the listing; alone they can
	gone     []int    // from the listing

	listedIDs func() // what happens once the ids of a window were told

	lists, ids, gets int
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
		body = b.listing(from, q.Get("to"), func(i int) string { return fmt.Sprintf(`{"id":"p%d"}`, i) })
		if b.listedIDs != nil {
			b.listedIDs()
		}
	} else {
		b.lists++
		body = b.listing(from, q.Get("to"), b.listed)
	}
	if body == "" {
		w.WriteHeader(http.StatusInternalServerError)
	}
	_, _ = w.Write([]byte(body))
}

// listed is a package as the listing has it.
func (b *bulky) listed(i int) string {
	if slices.Contains(b.unlisted, i) {
		return ""
	}
	return b.packages[i]
}

// listing is a window; "" where a package of it is "".
func (b *bulky) listing(from int, to string, show func(int) string) string {
	last, _ := strconv.Atoi(to)
	there := slices.DeleteFunc(every(1, len(b.packages)), func(i int) bool { return slices.Contains(b.gone, i) })
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
	b.lists, b.ids, b.gets = 0, 0, 0
}

// swept walks the listing as a sweep does: how many packages came, and how many of these
// had nothing to read.
func swept(t *testing.T, c *signingapi.Client) (given, empty int) {
	t.Helper()
	for value, err := range c.Lister(signing.Query{Sort: "created", Ascending: true}).Each(t.Context()) {
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

// However many packages break the windows that they are in, what can be read beside them is
// listed, swept and exported, and they are too where they can be read by their ids.
func TestLister_ManyCannotBeListed(t *testing.T) {
	for _, test := range []struct{ packages, broken int }{{122, 22}, {225, 9}, {100, 100}, {250, 83}} {
		for _, served := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d of %d, served %t", test.broken, test.packages, served), func(t *testing.T) {
				b, c := startBulky(t, test.packages)
				log := &logtest.Log{}
				c.WithUnreadableLog(signingapi.NewUnreadableLog(log.Logger()))
				var want []string
				broken := every(1, test.packages)
				broken = slices.DeleteFunc(broken, func(i int) bool { return (i+1)*test.broken/test.packages == i*test.broken/test.packages })
				for i := range test.packages {
					switch {
					case !slices.Contains(broken, i), served:
						want = append(want, fmt.Sprint("p", i))
					default:
						b.packages[i] = ""
					}
				}
				b.unlisted = broken
				windows := (test.packages + 97) / 99
				for turn := range 2 {
					if got, err := idsOf(t, c.Lister(signing.Query{}).Public(t.Context())); err != nil && len(want) > 0 || !slices.Equal(got, want) {
						t.Errorf("export %d has %d of %d, %v", turn+1, len(got), len(want), err)
					}
					if calls := b.lists + b.ids; calls > windows*16 {
						t.Errorf("export %d listed %d times for %d windows", turn+1, calls, windows)
					}
					b.reset()
				}
				if given, empty := swept(t, c); given != test.packages || empty != test.packages-len(want) {
					t.Errorf("a sweep has %d, %d of them empty", given, empty)
				}
				for _, i := range broken {
					if n := strings.Count(log.String(), fmt.Sprintf("package=p%d ", i)); n > 1 || (n == 1) == served {
						t.Errorf("%d warnings name %d", n, i)
					}
				}
			})
		}
	}
}

// listedNow are the packages that an operator's export lists.
func listedNow(t *testing.T, c *signingapi.Client) (all []string) {
	t.Helper()
	for value, err := range c.Lister(signing.Query{}).Public(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(value))
	}
	return all
}

// Long packages, for which a window has no room, are found all the same, in lists, sweeps and
// exports.
func TestLister_LongPackages(t *testing.T) {
	for name, long := range map[string][]int{
		"one": {37}, "some": every(9, 250), "every third": every(3, 250), "all": every(1, 250),
		"neighbours": {10, 11, 12, 13, 14, 98, 99, 100, 101, 198, 199, 249},
	} {
		t.Run(name, func(t *testing.T) {
			b, c := startBulky(t, 250, long...)
			if given, empty := swept(t, c); given != 250 || empty > 0 || b.lists+b.ids > 3*16 {
				t.Errorf("%d packages, %d of them empty, by %d windows and %d of ids", given, empty, b.lists, b.ids)
			}
			if got := listedNow(t, c); !slices.Equal(got, b.packages) {
				t.Errorf("the export has %d", len(got))
			}
			page, err := c.Lister(signing.Query{}).Page(t.Context(), 1, 50)
			if err != nil || page.Count != 250 {
				t.Fatalf("%d, %v", page.Count, err)
			}
			if got, err := idsOf(t, page.Results); err != nil || len(got) != 50 {
				t.Errorf("the page has %d, %v", len(got), err)
			}
		})
	}
}

// Packages that go while a window is read in pieces move those behind them: none of these
// is missed.
func TestLister_PackagesMoveMeanwhile(t *testing.T) {
	b, c := startBulky(t, 90, every(3, 90)...)
	b.listedIDs = func() {
		if len(b.gone) == 0 {
			b.gone = []int{2, 30}
		}
	}
	got, err := idsOf(t, c.Lister(signing.Query{}).Each(t.Context()))
	for i := range 90 {
		if !slices.Contains(got, fmt.Sprint("p", i)) && !slices.Contains(b.gone, i) {
			t.Errorf("%d is missing", i)
		}
	}
	if len(b.gone) == 0 || err != nil || len(slices.Compact(sorted(got))) != len(got) {
		t.Errorf("%d packages, %v", len(got), err)
	}
}
