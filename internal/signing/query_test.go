package signing_test

import (
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

func parse(t *testing.T, raw string) signing.Query {
	t.Helper()
	q, err := signing.ParseQuery(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return q
}

func TestParseQuery_Window(t *testing.T) {
	for raw, want := range map[string][2]int{
		"": {1, 10}, "from=&to=": {1, 10}, "from=1": {1, 10}, "from=11": {11, 20}, "to=5": {1, 5},
		"from=1&to=100": {1, 100}, "from=1&to=101": {1, 100}, "from=201&to=1000000": {201, 300},
		"from=5&to=4": {5, 104}, "from=0&to=-2": {1, 100}, "from=-7": {1, 10}, "from=20&to=0": {20, 119}, "from=3&to=3": {3, 3},
		"from=9223372036854775807": {1 << 30, 1<<30 + 9}, "from=1&to=9223372036854775807": {1, 100}, "to=5&to=7&from=2": {2, 5},
	} {
		if q := parse(t, raw); q.From != want[0] || q.To != want[1] {
			t.Errorf("%s: %d to %d", raw, q.From, q.To)
		}
	}
}

func TestParseQuery_Dates(t *testing.T) {
	for text, want := range map[string]string{
		"2018-12-12Z": "2018-12-12T00:00:00Z", "2018-12-12": "2018-12-12T00:00:00Z", "2018-12-12%2B01:30": "2018-12-11T22:30:00Z",
		"2018-01-01T12:30:00Z": "2018-01-01T12:30:00Z", "2018-01-01T12:30:00%2B01:30": "2018-01-01T11:00:00Z",
		"2018-01-01T12:30:00+01:30": "2018-01-01T11:00:00Z", "2018-01-01T12:30:00+0000": "2018-01-01T12:30:00Z",
		"2018-01-01T12:30:00-0500": "2018-01-01T17:30:00Z", "2018-01-01T12:30:00.5Z": "2018-01-01T12:30:00.5Z",
		"2018-01-01T12%3A30%3A00.123Z": "2018-01-01T12:30:00.123Z", "2018-01-01T12:30:00": "2018-01-01T12:30:00Z",
	} {
		for _, name := range []string{"lastUpdatedStartDate", "startDate"} {
			q := parse(t, name+"="+text)
			if got := q.UpdatedFrom.Format(time.RFC3339Nano); got != want || !q.UpdatedTo.IsZero() {
				t.Errorf("%s=%s: %s", name, text, got)
			}
		}
	}
	for _, name := range []string{"lastUpdatedEndDate", "endDate"} {
		if got := parse(t, name+"=2018-12-12Z").UpdatedTo.Format(time.RFC3339Nano); got != "2018-12-12T23:59:59.999Z" {
			t.Errorf("%s: %s", name, got)
		}
		if got := parse(t, name+"=2018-12-12T01:00:00Z").UpdatedTo.Format(time.RFC3339); got != "2018-12-12T01:00:00Z" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := parse(t, "startDate=2019-01-01Z&lastUpdatedStartDate=2018-01-01Z").UpdatedFrom.Year(); got != 2018 {
		t.Errorf("both names: %d", got)
	}
}

func TestParseQuery_Refused(t *testing.T) {
	for raw, want := range map[string][]string{
		"from=a": {"/from"}, "to=b": {"/to"}, "from=1.5": {"/from"}, "from=99999999999999999999": {"/from"}, "from=+1": {"/from"}, "from=0x1": {"/from"},
		"sort=size": {"/sort"}, "dir=up": {"/dir"}, "query=sent": {"/query"}, "query=NOPE": {"/query"}, "query=Drafts": {"/query"},
		"predefined=mine": {"/predefined"}, "type=FORM": {"/type"}, "visibility=ALL": {"/visibility"}, "fields=name": {"/fields"},
		"searchtype=fuzzy": {"/searchtype"}, "mine=all": {"/mine"}, "mine=Owner": {"/mine"},
		"startDate=yesterday": {"/startDate"}, "lastUpdatedStartDate=2018-13-01Z": {"/lastUpdatedStartDate"},
		"endDate=2018-02-30Z": {"/endDate"}, "lastUpdatedEndDate=1514764800": {"/lastUpdatedEndDate"},
		"startDate=x&lastUpdatedStartDate=2018-01-01Z": {"/startDate"},
		"from=a&to=b&sort=c&endDate=d":                 {"/sort", "/endDate", "/from", "/to"},
	} {
		_, err := signing.ParseQuery(raw)
		e, _ := errors.AsType[*fault.Error](err)
		if e == nil || e.Key != fault.RequestInvalid {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		var got []string
		for _, f := range e.Fields {
			got = append(got, f.Pointer)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", raw, got)
		}
	}
	for _, raw := range []string{"from=%zz", "a;b=1", "%"} {
		if _, err := signing.ParseQuery(raw); !fault.Is(err, fault.RequestMalformed) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestParseQuery_AsPlatformReadsIt(t *testing.T) {
	for raw, want := range map[string]string{
		"":                        "from=1&to=10",
		"extensions=alerts&foo=1": "from=1&to=10",
		"type=template&mine=owner&query=SENT&from=2&to=0": "from=2&query=SENT&to=101&type=TEMPLATE",
		"sort=name&dir=asc&fields=id":                     "dir=asc&fields=id&from=1&sort=name&to=10",
		"sort=name":                                       "dir=desc&from=1&sort=name&to=10",
		"dir=asc":                                         "dir=asc&from=1&to=10",
		"search=a%26from%3D9&searchtype=exact&predefined=sent": "from=1&predefined=sent&search=a%26from%3D9&searchtype=exact&to=10",
		"startDate=2018-12-12Z&endDate=2018-12-12Z":            "from=1&lastUpdatedEndDate=2018-12-12T23%3A59%3A59.999Z&lastUpdatedStartDate=2018-12-12T00%3A00%3A00Z&to=10",
		"ownerEmail=a@b&ownerUserId=u&visibility=SENDER":       "from=1&ownerEmail=a%40b&ownerUserId=u&to=10&visibility=SENDER",
	} {
		q := parse(t, raw)
		if got := q.Encode(q.From, q.To); got != want {
			t.Errorf("%s becomes %s", raw, got)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	f.Add("query=SENT&from=1&to=0&startDate=2018-12-12Z&type=template&search=%2a&mine=to-sign")
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := signing.ParseQuery(raw)
		if err != nil {
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Row().Status != 400 {
				t.Fatalf("%v", err)
			}
			return
		}
		if q.From < 1 || q.To < q.From || q.To-q.From > 99 {
			t.Fatalf("%d to %d", q.From, q.To)
		}
		encoded := q.Encode(q.From, q.To)
		again, err := signing.ParseQuery(encoded)
		if err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		q.Mine = "" // not sent to the platform
		q.UpdatedFrom, q.UpdatedTo = q.UpdatedFrom.Truncate(time.Millisecond), q.UpdatedTo.Truncate(time.Millisecond)
		if year := max(q.UpdatedFrom.Year(), q.UpdatedTo.Year()); year < 10_000 && again.Sort == q.Sort && again != q {
			t.Fatalf("%+v\nis read again as\n%+v", q, again)
		}
		if _, err := url.ParseQuery(encoded); err != nil {
			t.Fatal(err)
		}
	})
}

// The platform's filter of types knows templates; packages are what it lists without one.
func TestParseQuery_PackagesHaveNoType(t *testing.T) {
	for kind, want := range map[string]string{"": "from=1&to=2", signing.TypePackage: "from=1&to=2", signing.TypeTemplate: "from=1&to=2&type=TEMPLATE"} {
		if got := (signing.Query{Type: kind}).Encode(1, 2); got != want {
			t.Errorf("%q: %s", kind, got)
		}
	}
}
