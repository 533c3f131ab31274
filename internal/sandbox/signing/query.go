package signing

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/sandbox/wire"
)

// query holds the parameters of a listing (docs/platform.md S5).
type query struct {
	folder, predefined, kind, visibility string
	search, searchType                   string
	since, until                         time.Time // of the last update, both included; zero: open
	ownerID, ownerEmail                  string
	sort                                 string
	ascending                            bool
	from, to                             int // the first and last record, from 1; to 0: as many as allowed
	idsOnly                              bool
}

// defaultPage is the default number of listed packages.
const defaultPage = 10

func parseQuery(v url.Values) (query, error) {
	var rules wire.Rules
	q := query{
		folder: v.Get("query"), predefined: cmp.Or(v.Get("predefined"), "all"), kind: cmp.Or(strings.ToUpper(v.Get("type")), typePackage),
		visibility: v.Get("visibility"), search: folded(v.Get("search")), searchType: v.Get("searchtype"),
		ownerID: v.Get("ownerUserId"), ownerEmail: mailbox(v.Get("ownerEmail")),
		sort: cmp.Or(v.Get("sort"), "created"), ascending: v.Get("dir") == "asc", idsOnly: v.Get("fields") == "id",
	}
	q.since = parseDate(&rules, v, false, "lastUpdatedStartDate", "startDate")
	q.until = parseDate(&rules, v, true, "lastUpdatedEndDate", "endDate")
	q.from, q.to = window(&rules, v, defaultPage)
	rules.OneOf("query", &q.folder, append([]string{"", "drafts", "inbox", "trashed"}, statuses...)...)
	rules.OneOf("predefined", &q.predefined, "all", "awaitingSignature", "sent", "completed", "expiringSoon")
	rules.OneOf("type", &q.kind, typePackage, typeTemplate, typeLayout)
	rules.OneOf("sort", &q.sort, "created", "completed", "updated", "due", "name", "status")
	return q, rules.Err()
}

// window returns the first and the last record that a query asks for, from 1 on; to below from,
// and 0, mean no limit. Without a to they are so many, 0 for no limit.
func window(rules *wire.Rules, v url.Values, many int) (from, to int) {
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(cmp.Or(v.Get(name), strconv.Itoa(otherwise)))
		if err != nil {
			rules.Broken(name, "must be a number")
		}
		return n
	}
	from = max(number("from", 1), 1)
	if to = number("to", from+many-1); to < from {
		to = 0
	}
	return from, to
}

// dateForms are the clients' formats of dates: a time, with or without a fraction and
// with an offset in either form, or a day with Z.
var dateForms = []string{time.RFC3339, "2006-01-02T15:04:05-0700", dayForm}

const dayForm = "2006-01-02Z07:00"

// parseDate parses the first given parameter of names. A day stands for its beginning, or
// its end.
func parseDate(rules *wire.Rules, v url.Values, end bool, names ...string) time.Time {
	i := slices.IndexFunc(names, func(name string) bool { return v.Get(name) != "" })
	if i < 0 {
		return time.Time{}
	}
	text := strings.ReplaceAll(v.Get(names[i]), " ", "+") // some clients do not escape the plus of an offset
	for _, form := range dateForms {
		t, err := time.Parse(form, text)
		switch {
		case err != nil:
			continue
		case form == dayForm && end:
			return t.Add(24*time.Hour - time.Second)
		default:
			return t
		}
	}
	rules.Broken(names[i], "must be a date")
	return time.Time{}
}
