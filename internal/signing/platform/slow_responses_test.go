package platform_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/logtest"
	"countersign/internal/signing"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/upstream"
)

// slow is a platform of four packages that never ends an answer with the third, alone or in
// a window; away, it answers nothing at all.
type slow struct {
	away atomic.Int32
	ids  bool // nor an answer with its id
}

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, _ := strconv.Atoi(q.Get("from"))
	to, _ := strconv.Atoi(q.Get("to"))
	listed := strings.HasSuffix(r.URL.Path, "/packages")
	long := listed && (s.ids || q.Get("fields") != "id") && from <= 3 && to >= 3 || strings.HasSuffix(r.URL.Path, "/p2")
	if s.away.Load() > 0 || long {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	var results []string
	for i := from - 1; i < min(to, 4); i++ {
		results = append(results, packageOf(i, 100))
	}
	fmt.Fprintf(w, `{"count":4,"results":[%s]}`, strings.Join(results, ","))
}

// TestDocument_ArrivesTooSlowly gives up a document that comes a byte now and then.
func TestDocument_ArrivesTooSlowly(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for tick := time.Tick(10 * time.Millisecond); ; {
			select {
			case <-tick:
				_, _ = w.Write([]byte("%"))
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(web.Close)
	up, err := upstream.New(upstream.Options{Name: "signing", BaseURL: web.URL, Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	c := signingapi.New(up, nil)
	for name, fetch := range map[string]func(context.Context, string, string) (io.ReadCloser, error){"the PDF": c.PDF, "the original": c.Original} {
		file, err := fetch(t.Context(), "p", "d")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(file); !fault.Is(err, fault.PlatformUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		file.Close()
	}
}

// TestLister_SlowPackageLeftOut lists the others where the platform takes too long to
// write one of them, or even its id.
func TestLister_SlowPackageLeftOut(t *testing.T) {
	for named, ids := range map[string]bool{"package=p2 ": false, "place=3 ": true} {
		t.Run(named, func(t *testing.T) {
			s, log := &slow{ids: ids}, &logtest.Log{}
			web := httptest.NewServer(s)
			t.Cleanup(web.Close)
			up, err := upstream.New(upstream.Options{Name: "signing", BaseURL: web.URL, Timeout: 250 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(up.Close)
			c := signingapi.New(up, nil).WithUnreadableLog(signingapi.NewUnreadableLog(log.Logger()))
			c.TakePiecesWithin(250 * time.Millisecond)
			page, err := c.Lister(signing.Query{}).Page(t.Context(), 1, 4)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := idsOf(t, page.Results); err != nil || page.Count != 4 || !slices.Equal(got, []string{"p0", "p1", "p3"}) {
				t.Errorf("the page has %v of %d, %v", got, page.Count, err)
			}
			if n := strings.Count(log.String(), named); n != 1 {
				t.Errorf("%d warnings: %s", n, log)
			}
			s.away.Store(1)
			if _, err := c.Lister(signing.Query{}).Page(t.Context(), 1, 4); !fault.Is(err, fault.PlatformUnavailable) {
				t.Errorf("while the platform is away: %v", err)
			}
		})
	}
}
