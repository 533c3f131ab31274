package signing

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/fault"
)

// The sizes of a page of the listing.
const (
	defaultPage = 10
	maxPage     = 100
)

// The words of Query.Mine.
const (
	MineOwner  = "owner"
	MineSigner = "signer"
	MineToSign = "to-sign"
)

// Query is what a listing of packages asks for (docs/platform.md S5). Members that
// are "" or zero ask for nothing.
type Query struct {
	// Folder is drafts, inbox, trashed or a status; Predefined a filter such as
	// awaitingSignature.
	Folder, Predefined string
	// Type is PACKAGE, TEMPLATE or LAYOUT; Visibility ACCOUNT or SENDER.
	Type, Visibility string
	// Search is what the names, descriptions and recipients are searched for;
	// SearchType exact or exactname.
	Search, SearchType string
	// UpdatedFrom and UpdatedTo bound the last update, both included.
	UpdatedFrom, UpdatedTo time.Time
	// OwnerUserID and OwnerEmail name whose packages are listed.
	OwnerUserID, OwnerEmail string
	// Sort is the member that orders the list, created where it is "".
	Sort      string
	Ascending bool
	// IDsOnly leaves all members but the id out.
	IDsOnly bool
	// Mine is which of the person's own packages are listed; see the words above.
	// The platform does not know it.
	Mine string
	// From and To are the first and the last package, from 1.
	From, To int
}

// The values of parameters that have few.
var (
	folders = []string{
		"drafts", "inbox", "trashed", "DRAFT", "SENT", "COMPLETED", "ARCHIVED", "DECLINED", "OPTED_OUT", "EXPIRED",
	}
	predefined   = []string{"all", "awaitingSignature", "sent", "completed", "expiringSoon"}
	types        = []string{"PACKAGE", "TEMPLATE", "LAYOUT"}
	visibilities = []string{"ACCOUNT", "SENDER"}
	searchTypes  = []string{"exact", "exactname"}
	sorts        = []string{"created", "completed", "updated", "due", "name", "status"}
	directions   = []string{"asc", "desc"}
	mines        = []string{MineOwner, MineSigner, MineToSign}
)

// ParseQuery reads the raw query of a request; an empty parameter is an absent one,
// and one that nobody knows is passed over. What cannot be understood is
// request.invalid, each parameter named as a pointer such as /from.
func ParseQuery(raw string) (Query, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return Query{}, fault.Wrap(fault.RequestMalformed, err)
	}
	p := parameters{values: values}
	q := Query{
		Folder: p.oneOf("query", folders), Predefined: p.oneOf("predefined", predefined),
		Visibility: p.oneOf("visibility", visibilities),
		Search:     p.text("search"), SearchType: p.oneOf("searchtype", searchTypes),
		OwnerUserID: p.text("ownerUserId"), OwnerEmail: p.text("ownerEmail"),
		Sort: p.oneOf("sort", sorts), Ascending: p.oneOf("dir", directions) == "asc",
		IDsOnly: p.oneOf("fields", []string{"id"}) == "id", Mine: p.oneOf("mine", mines),
	}
	values.Set("type", strings.ToUpper(values.Get("type")))
	q.Type = p.oneOf("type", types)
	q.UpdatedFrom = p.date(beginning, "lastUpdatedStartDate", "startDate")
	q.UpdatedTo = p.date(end, "lastUpdatedEndDate", "endDate")
	q.From, q.To = p.window()
	if len(p.violations) > 0 {
		return Query{}, fault.Invalid(p.violations...)
	}
	return q, nil
}

// Encode is the query as the platform reads it, for the packages from and to, both
// included.
func (q Query) Encode(from, to int) string {
	values := url.Values{"from": {strconv.Itoa(from)}, "to": {strconv.Itoa(to)}}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("query", q.Folder)
	set("predefined", q.Predefined)
	set("type", q.Type)
	set("visibility", q.Visibility)
	set("search", q.Search)
	set("searchtype", q.SearchType)
	set("ownerUserId", q.OwnerUserID)
	set("ownerEmail", q.OwnerEmail)
	set("sort", q.Sort)
	if q.Ascending {
		set("dir", "asc")
	} else if q.Sort != "" {
		set("dir", "desc")
	}
	if q.IDsOnly {
		set("fields", "id")
	}
	setTime(values, "lastUpdatedStartDate", q.UpdatedFrom)
	setTime(values, "lastUpdatedEndDate", q.UpdatedTo)
	return values.Encode()
}

func setTime(values url.Values, name string, at time.Time) {
	if !at.IsZero() {
		values.Set(name, at.UTC().Format("2006-01-02T15:04:05.999Z"))
	}
}

// parameters are read one by one; what cannot be understood is kept as a violation.
type parameters struct {
	values     url.Values
	violations []fault.Field
}

func (p *parameters) refuse(name, detail string) {
	p.violations = append(p.violations, fault.Field{Pointer: "/" + name, Detail: detail})
}

func (p *parameters) text(name string) string { return p.values.Get(name) }

func (p *parameters) oneOf(name string, allowed []string) string {
	value := p.values.Get(name)
	if value != "" && !slices.Contains(allowed, value) {
		p.refuse(name, "field.choice")
	}
	return value
}

// maxNumber bounds the number of a package, so that it can be counted on from.
const maxNumber = 1 << 30

// window reads from and to. A from below 1 is 1; a to before from asks for as many
// as may be, and is never farther than that.
func (p *parameters) window() (from, to int) {
	from = min(max(p.number("from", 1), 1), maxNumber)
	to = p.number("to", from+defaultPage-1)
	if last := from + maxPage - 1; to < from || to > last {
		to = last
	}
	return from, to
}

func (p *parameters) number(name string, otherwise int) int {
	text := p.values.Get(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		p.refuse(name, "field.whole-number")
	}
	return n
}
