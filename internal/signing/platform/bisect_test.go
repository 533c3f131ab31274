package platform_test

import (
	"encoding/json"
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

// patchy is a platform of a hundred packages, some of which break their windows.
type patchy struct {
	breaks map[int]string // answers to windows that contain the position; "" is a 500
	plain  bool           // does not know fields=id
	single bool           // serves by its id a package that breaks a window

	mu    sync.Mutex
	asked int // calls of the listing
}

func (p *patchy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := r.URL.Query()
	if i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/api/packages/p")); err == nil {
		text := packageOf(i, 100)
		if _, broken := p.breaks[i]; broken && !p.single {
			text = text[:20]
		}
		fmt.Fprint(w, text)
		return
	}
	p.asked++
	from, _ := strconv.Atoi(q.Get("from"))
	to, _ := strconv.Atoi(q.Get("to"))
	var results []string
	for i := from - 1; i < min(to, 100); i++ {
		if broken, is := p.breaks[i]; is && (p.plain || q.Get("fields") != "id") {
			if broken == "" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			fmt.Fprint(w, broken)
			return
		}
		results = append(results, packageOf(i, 100))
	}
	fmt.Fprintf(w, `{"count":100,"results":[%s]}`, strings.Join(results, ","))
}

// A window that cannot be read is read in halves, in sixteen calls at most, and a package that
// cannot be read is named in the log once.
func TestLister_BisectsAWindow(t *testing.T) {
	five := map[int]string{3: "", 22: `x`, 23: "", 70: "{}", 99: ""}
	for name, test := range map[string]struct {
		*patchy
		named string
	}{
		"a 500":                 {&patchy{breaks: map[int]string{37: ""}}, "package=p37"},
		"a 500, ids not told":   {&patchy{breaks: map[int]string{37: ""}, plain: true}, "place=38"},
		"broken JSON":           {&patchy{breaks: map[int]string{0: `{"count":100,"results":[{"id":"p0","name`}}, "package=p0"},
		"no JSON":               {&patchy{breaks: map[int]string{99: `<html>`}}, "package=p99"},
		"too deep":              {&patchy{breaks: map[int]string{64: `{"count":100,"results":[{"id":"p64","data":` + strings.Repeat("[", 9998) + strings.Repeat("]", 9998) + `}]}`}}, "package=p64"},
		"no array":              {&patchy{breaks: map[int]string{50: `{"count":100,"results":{}}`}}, "package=p50"},
		"two beside each other": {&patchy{breaks: map[int]string{49: "", 50: ""}}, "package=p49"},
		"five":                  {&patchy{breaks: five}, "package=p70"},
		"five that GET serves":  {&patchy{breaks: five, single: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			web, log := httptest.NewServer(test), &logtest.Log{}
			t.Cleanup(web.Close)
			c := clientOf(t, web.URL).WithUnreadableLog(signingapi.NewUnreadableLog(log.Logger()))
			var want []string
			for i := range 100 {
				if _, broken := test.breaks[i]; !broken || test.single {
					want = append(want, fmt.Sprint("p", i))
				}
			}
			page, err := c.Lister(signing.Query{}).Page(t.Context(), 1, 100)
			if err != nil || page.Count != 100 || test.asked > 16 {
				t.Fatalf("%d packages by %d calls, %v", page.Count, test.asked, err)
			}
			if got, err := idsOf(t, page.Results); err != nil || !slices.Equal(got, want) {
				t.Errorf("the page has %v, %v", got, err)
			}
			var listed []string
			for _, text := range listedNow(t, c) {
				var p struct{ ID string }
				if err := json.Unmarshal([]byte(text), &p); err != nil {
					t.Fatal(err)
				}
				listed = append(listed, p.ID)
			}
			if !slices.Equal(listed, want) {
				t.Errorf("the listing has %v", listed)
			}
			if n := strings.Count(log.String(), test.named+" "); n != 1 && test.named != "" {
				t.Errorf("%d warnings name %s: %s", n, test.named, log)
			}
		})
	}
}
