package platform_test

import (
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/signing"
	signingapi "countersign/internal/signing/platform"
)

// listPass returns the ids that Windows yields.
func listPass(t *testing.T, c *signingapi.Client, q signing.Query) ([]string, error) {
	t.Helper()
	return idsOf(t, c.Lister(q).Each(t.Context()))
}

// idsOf returns the ids of packages.
func idsOf(t *testing.T, packages iter.Seq2[jsontext.Value, error]) ([]string, error) {
	t.Helper()
	var ids []string
	for value, err := range packages {
		if err != nil {
			return ids, err
		}
		var p struct{ ID string }
		if err := json.Unmarshal(value, &p); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	return ids, nil
}

func TestLister_EachPackageOnceInOrder(t *testing.T) {
	for _, count := range []int{0, 1, 99, 100, 101, 199, 200, 334} {
		t.Run(strconv.Itoa(count), func(t *testing.T) {
			p, c := start(t)
			if count > 0 {
				p.many(count)
			}
			want := p.ids()
			for _, account := range []object{
				{"pageBounds": "inclusive"}, {"pageBounds": "exclusive"}, {"maxPage": 99, "pageBounds": "exclusive"},
				{"maxPage": 99, "pageBounds": "inclusive"}, {"maxPage": 30}, {"maxPage": 2}, {"maxPage": 1},
			} {
				if account["maxPage"] != nil && account["maxPage"].(int) < 30 && count > 101 {
					continue
				}
				p.do("PUT", "/_manage/account", account, nil)
				got, err := listPass(t, c, signing.Query{})
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%v: %d of %d, in order %t, %v", account, len(got), len(want), slices.Equal(got, want), err)
				}
				if got, err := idsOf(t, c.Lister(signing.Query{}).Public(t.Context())); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%v: %d of %d public, %v", account, len(got), len(want), err)
				}
			}
			if most := p.atOnce(); most > 4 {
				t.Errorf("%d windows at a time", most)
			}
		})
	}
}

// asked returns the window that a request lists; 0 if it lists none.
func asked(r *http.Request) (from, to int) {
	if r.URL.Path != "/api/packages" {
		return 0, 0
	}
	from, _ = strconv.Atoi(r.URL.Query().Get("from"))
	to, _ = strconv.Atoi(r.URL.Query().Get("to"))
	return from, to
}

func TestLister_HundredPerCall(t *testing.T) {
	p, c := start(t)
	p.many(1000)
	var calls atomic.Int32
	p.each(func(r *http.Request) {
		if from, to := asked(r); to-from+1 > 100 {
			t.Errorf("asked for %d to %d", from, to)
		}
		calls.Add(1)
	})
	if _, err := listPass(t, c, signing.Query{}); err != nil || calls.Load() > 11 {
		t.Fatalf("%d calls for 1000 packages, %v", calls.Load(), err)
	}
}

// Whatever comes and goes meanwhile, packages that are there the whole time are yielded
// once.
func TestLister_PackagesComeAndGo(t *testing.T) {
	for name, churn := range map[string]struct{ gone, come, every int }{
		"one goes":                {1, 0, 3},
		"one goes each time":      {1, 0, 1},
		"one comes each time":     {0, 1, 1},
		"as many come as go":      {1, 1, 1},
		"ten go at a time":        {10, 0, 2},
		"a window goes at a time": {100, 0, 4},
		"more come than go":       {2, 5, 2},
	} {
		for _, bounds := range []string{"inclusive", "exclusive"} {
			t.Run(name+" "+bounds, func(t *testing.T) {
				p, c := start(t)
				p.many(300 + 5*churn.gone) // three windows that stay, and more
				p.do("PUT", "/_manage/account", object{"pageBounds": bounds}, nil)
				there := p.ids() // newest first
				calls := 0
				p.each(func(r *http.Request) {
					if calls++; calls == 1 || calls%churn.every > 0 || calls > 20 {
						return
					}
					for range churn.gone {
						p.do("DELETE", "/api/packages/"+there[0], nil, nil)
						there = there[1:]
					}
					for range churn.come {
						p.create("new")
					}
				})
				got, err := listPass(t, c, signing.Query{})
				p.each(nil)
				if err != nil {
					t.Fatal(err)
				}
				if once := slices.Compact(sorted(got)); len(once) != len(got) {
					t.Errorf("%d ids for %d packages", len(once), len(got))
				}
				missing := slices.DeleteFunc(slices.Clone(there), func(id string) bool { return slices.Contains(got, id) })
				if len(missing) > 0 {
					t.Errorf("%d packages are missing", len(missing))
				}
				if now := p.ids(); len(got) < len(now) {
					t.Errorf("%d of %d: the count is not reached", len(got), len(now))
				}
			})
		}
	}
}

// A changed package moves to the front of a list ordered by last change.
func TestLister_PackageChangesPlace(t *testing.T) {
	p, c := start(t)
	p.do("POST", "/_manage/packages", object{"count": 500, "updatedFrom": "2020-01-01T00:00:00Z", "updatedTo": "2021-01-01T00:00:00Z"}, nil)
	there := p.ids()
	calls := 0
	p.each(func(r *http.Request) {
		if calls++; calls == 3 {
			p.do("PUT", "/api/packages/"+there[450], object{"autocomplete": false}, nil)
		}
	})
	got, err := listPass(t, c, signing.Query{Sort: "updated"})
	if err != nil || !slices.Equal(sorted(got), sorted(there)) {
		t.Fatalf("%d of %d, %v", len(got), len(there), err)
	}
}

func TestLister_EndsWithError(t *testing.T) {
	for body, want := range map[string]fault.Key{
		`{"count":3,"results":[{"id":"a"}]}`:          fault.PlatformFailed,
		`{"count":-1,"results":[]}`:                   fault.PlatformFailed,
		`{"results":[{"id":"a"}]}`:                    fault.PlatformFailed,
		`{"count":1,"results":[{"name":"a"}]}`:        fault.PlatformFailed,
		`{"count":1,"results":["a"]}`:                 fault.PlatformFailed,
		`{"count":1,"results":[{"id":""}]}`:           fault.PlatformFailed,
		`{"count":1,"results":[{"id":"a"},{"id":"b"}`: fault.PlatformFailed,
		`{"count":"1","results":[]}`:                  fault.PlatformFailed,
	} {
		if _, err := listPass(t, answering(t, 200, body), signing.Query{}); !fault.Is(err, want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if ids, err := listPass(t, answering(t, 200, `{"count":1,"results":[{"x":{"id":"no"},"id":"b"}]}`), signing.Query{}); err != nil || !slices.Equal(ids, []string{"b"}) {
		t.Errorf("%v, %v", ids, err)
	}
}

func TestLister_FailsMidway(t *testing.T) {
	p, c := start(t)
	p.many(1000)
	p.do("POST", "/_manage/faults", object{"operation": "listPackages", "times": 0, "status": 500}, nil)
	if ids, err := listPass(t, c, signing.Query{}); !fault.Is(err, fault.PlatformFailed) || len(ids) > 0 {
		t.Fatalf("%d, %v", len(ids), err)
	}
	p.do("POST", "/_manage/reset", object{}, nil)
	p.many(1000)
	calls := 0
	p.each(func(*http.Request) {
		if calls++; calls == 4 {
			p.do("POST", "/_manage/faults", object{"operation": "listPackages", "times": 0, "status": 500}, nil)
		}
	})
	if ids, err := listPass(t, c, signing.Query{}); !fault.Is(err, fault.PlatformFailed) || len(ids) == 0 || len(ids) == 1000 {
		t.Fatalf("%d, %v", len(ids), err)
	}
}

func TestLister_StopsWithReader(t *testing.T) {
	p, c := start(t)
	p.many(1000)
	for value, err := range c.Lister(signing.Query{}).Each(t.Context()) {
		if err != nil || !strings.Contains(string(value), `"id"`) {
			t.Fatal(err)
		}
		break
	}
}

func TestLister_WindowIncludesBothEnds(t *testing.T) {
	p, c := start(t)
	p.many(150)
	there := p.ids()
	for _, account := range []object{
		{"pageBounds": "inclusive"}, {"pageBounds": "exclusive"}, {"pageBounds": "inclusive"},
		{"pageBounds": "exclusive"}, {"pageBounds": "exclusive", "maxPage": 10},
	} {
		p.do("PUT", "/_manage/account", account, nil)
		for _, window := range [][2]int{{1, 10}, {7, 7}, {1, 1}, {141, 150}, {145, 160}, {150, 150}, {151, 160}} {
			page, err := c.Lister(signing.Query{}).Page(t.Context(), window[0], window[1])
			last := min(window[1], 150)
			want := there[min(window[0]-1, last):last]
			if err != nil {
				t.Fatal(err)
			}
			if got, err := idsOf(t, page.Results); err != nil || page.Count != 150 || !slices.Equal(got, want) {
				t.Errorf("%v of %v: %d of %d, want %d, %v", window, account, len(got), page.Count, len(want), err)
			}
		}
	}
}

// A listing yields each package tidy, and as Public returns it, however its data is spelled.
func TestLister_YieldsPublicPackages(t *testing.T) {
	packages := []string{
		`{"id":"1","data":{"countersign":{"owner":"a"},"origin":"api"},"name":"n"}`,
		`{ "data" : { "a" : 1 , "countersign" : 2 } , "id" : "2" }`,
		`{"id":"3","data":{"\u0063ountersign":1}}`,
		`{"id":"4","d\u0061ta":{"countersign":1,"b":2}}`,
		`{"id":"5","data":{"countersign":1},"data":{"countersign":2,"c":3}}`,
		`{"id":"6","data":{"countersign":1,"x":0,"countersign":2}}`,
		`{"id":"7","data":null}`, `{"id":"8","data":"countersign"}`, `{"id":"9","name":"countersign"}`, `{"\u0069d":"10"}`,
	}
	c := answering(t, http.StatusOK, `{"more":[1],"results":[`+strings.Join(packages, ",")+`],"count":`+strconv.Itoa(len(packages))+`}`)
	i := 0
	for value, err := range c.Lister(signing.Query{}).Public(t.Context()) {
		tidy, _ := payload.Tidy([]byte(packages[i]))
		want, wantErr := signingapi.Public(tidy)
		if err != nil || wantErr != nil || string(value) != string(want) {
			t.Errorf("%s is shown as %s, %v, want %s, %v", packages[i], value, err, want, wantErr)
		}
		i++
	}
	if i != len(packages) {
		t.Errorf("%d packages", i)
	}
}

// A response that is no listing is platform.failed, wherever it breaks.
func TestLister_InvalidListing(t *testing.T) {
	for _, body := range []string{
		``, `null`, `[]`, `"x"`, `{`, `{}`, `{"results":[]}`, `{"count":1}x`, `{"count":1}{}`, `{"count":"1","results":[]}`, `{"count":-1,"results":[]}`,
		`{"count":1,"results":{}}`, `{"count":1,"results":null}`, `{"count":1,"results":[1]}`, `{"count":1,"results":[{"id":"1"}`, `{"count":1,"results":[{"id":"1"},]}`,
		`{"count":1,"results":[{"id":1}]}`, `{"count":1,"results":[{"id":""}]}`, `{"count":1,"results":[{"name":"x"}]}`, `{"count":1,"results":[{"id":"1",}]}`,
	} {
		if ids, err := listPass(t, answering(t, http.StatusOK, body), signing.Query{}); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s: %q, %v", body, ids, err)
		}
	}
}
