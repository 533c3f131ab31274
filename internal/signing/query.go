package signing

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/fault"
)

// MaxPage is the number of packages that the platform lists at most in one response.
const MaxPage = 100

const defaultPage = 10

// The values of Query.Mine.
const (
	MineOwner  = "owner"
	MineSigner = "signer"
	MineToSign = "to-sign"
)

// Query selects and orders packages of a listing (docs/platform.md S5). A member that is
// "" or zero selects everything.
type Query struct {
	// Folder is drafts, inbox, trashed or a status; Predefined is a filter such as
	// awaitingSignature.
	Folder, Predefined string
	// Type is PACKAGE, TEMPLATE or LAYOUT; Visibility ACCOUNT or SENDER.
	Type, Visibility string
	// Search is a text to look for in names, descriptions and recipients; SearchType is
	// exact, exactname or empty.
	Search, SearchType string
	// UpdatedFrom and UpdatedTo bound the last update, both inclusive.
	UpdatedFrom, UpdatedTo time.Time
	// OwnerUserID and OwnerEmail identify the person whose packages are listed.
	OwnerUserID, OwnerEmail string
	// Sort is the member that orders the list, by default created.
	Sort      string
	Ascending bool
	// IDsOnly leaves out all members but the id.
	IDsOnly bool
	// Mine selects among the person's own packages, by one of the constants above. The
	// platform does not know it.
	Mine string
	// From and To are the positions of the first and the last package, from 1.
	From, To int
}

// The values of parameters that take one of a few.
var (
	folders = []string{
		"drafts", "inbox", "trashed", StatusDraft, StatusSent, StatusCompleted, StatusArchived, StatusDeclined, StatusOptedOut, StatusExpired,
	}
	predefined   = []string{"all", "awaitingSignature", "sent", "completed", "expiringSoon"}
	types        = []string{TypePackage, TypeTemplate, TypeLayout}
	visibilities = []string{"ACCOUNT", "SENDER"}
	searchTypes  = []string{"exact", "exactname"}
	sorts        = []string{"created", "completed", "updated", "due", "name", "status"}
	directions   = []string{"asc", "desc"}
	mines        = []string{MineOwner, MineSigner, MineToSign}
)

// ParseQuery parses the raw query of a request. An empty parameter counts as absent, an
// unknown one is ignored. An invalid one is request.invalid, with a pointer such as
// /from.
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

// Encode returns the query for the platform, for the packages from to to, both inclusive.
func (q Query) Encode(from, to int) string {
	values := url.Values{"from": {strconv.Itoa(from)}, "to": {strconv.Itoa(to)}}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("query", q.Folder)
	set("predefined", q.Predefined)
	if q.Type != TypePackage { // the platform has no word for that filter; it is the default
		set("type", q.Type)
	}
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

// parameters reads the parameters of a query and collects violations.
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

// maxNumber limits the position of a package, so that additions cannot overflow.
const maxNumber = 1 << 30

// window returns from and to. A from below 1 becomes 1; a to before from, or too far from
// it, becomes the last one of a page of MaxPage.
func (p *parameters) window() (from, to int) {
	from = min(max(p.number("from", 1), 1), maxNumber)
	to = p.number("to", from+defaultPage-1)
	if last := from + MaxPage - 1; to < from || to > last {
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
