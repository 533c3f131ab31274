package index

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"countersign/internal/access"
	"countersign/internal/safetext"
	"countersign/internal/signing"
)

// The values of Query.Mine: created by the person, signed by them, waiting for their
// signature.
const (
	MineOwner  = "owner"
	MineSigner = "signer"
	MineToSign = "to-sign"
	// MineUnderway selects what is with its signers: created by the person, or already
	// signed by them.
	MineUnderway = "underway"
)

// Query selects and orders a person's own list (docs/platform.md S5). A member that is ""
// or zero selects everything.
type Query struct {
	// Folder is drafts, inbox, trashed or a status; Predefined is a filter such as
	// awaitingSignature.
	Folder, Predefined string
	// Statuses are the statuses to select, instead of a Folder; nil selects all.
	Statuses []string
	// Type is PACKAGE, the default, TEMPLATE or LAYOUT; Visibility is ACCOUNT or SENDER.
	Type, Visibility string
	// Search is a text to look for in names, descriptions and recipients; SearchType is
	// exact, exactname or empty.
	Search, SearchType string
	// UpdatedFrom and UpdatedTo bound the last update, both inclusive.
	UpdatedFrom, UpdatedTo time.Time
	// Sort is the member that orders the list, by default created.
	Sort      string
	Ascending bool
	// Mine is one of the constants above.
	Mine string
	// From and To are the positions of the first and the last package, from 1.
	From, To int
}

// The statuses that a folder selects (docs/platform.md S5).
var (
	draftStatuses = []string{signing.StatusDraft, signing.StatusExpired, signing.StatusDeclined, signing.StatusOptedOut}
	inboxStatuses = []string{signing.StatusSent, signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired, otherStatus}
)

// expiringWithin limits how far ahead the due dates of the filter expiringSoon are.
const expiringWithin = 7 * 24 * time.Hour

// lists returns the lists that together hold every package that the query may find for
// person.
func (q Query) lists(person access.Person) []access.List {
	var lists []access.List
	add := func(of string, buckets []string) {
		for _, bucket := range buckets {
			lists = append(lists, access.List{Of: of, Bucket: bucket})
		}
	}
	if q.Mine == "" || q.Mine == MineOwner || q.Mine == MineUnderway {
		add(ownedBy(person.User), q.buckets(false))
		if person.Email != "" {
			add(sentBy(person.Email), q.buckets(false))
		}
	}
	if q.Mine != MineOwner && person.Email != "" {
		add(signedBy(person.Email), q.buckets(true))
	}
	return lists
}

// buckets returns the buckets to read of an owner's or a signer's lists.
func (q Query) buckets(signer bool) []string {
	kind := cmp.Or(q.Type, signing.TypePackage)
	switch {
	case q.Mine == MineToSign:
		return []string{toSign}
	case q.Mine == MineUnderway:
		return []string{withStatus(kind, signing.StatusSent)}
	case q.Folder == "trashed":
		return []string{trashedOf(kind)}
	}
	var buckets []string
	wanted := q.statuses()
	if wanted == nil {
		wanted = statuses
	}
	for _, status := range wanted {
		buckets = append(buckets, withStatus(kind, status))
	}
	if signer && kind == signing.TypePackage && slices.Contains(buckets, withStatus(kind, signing.StatusSent)) {
		buckets = append(buckets, toSign)
	}
	return buckets
}

// statuses returns the statuses of the query's folder or filter; nil for every status.
func (q Query) statuses() []string {
	if q.Statuses != nil {
		return q.Statuses
	}
	switch q.Folder {
	case "":
		return predefinedStatuses(q.Predefined)
	case "drafts", signing.StatusDraft:
		return draftStatuses
	case "inbox":
		return inboxStatuses
	}
	return []string{q.Folder}
}

func predefinedStatuses(filter string) []string {
	switch filter {
	case "awaitingSignature", "sent", "expiringSoon":
		return []string{signing.StatusSent}
	case "completed":
		return []string{signing.StatusCompleted}
	}
	return nil
}

// listed reports whether the query's lists hold exactly what it finds, in its order: then
// no record has to be opened to count.
func (q Query) listed() bool {
	toSign, filters := q.Mine == MineToSign || q.Mine == MineUnderway, 0
	for _, filter := range []bool{toSign, q.Statuses != nil, q.Folder != "", predefinedStatuses(q.Predefined) != nil} {
		if filter {
			filters++
		}
	}
	return filters <= 1 && q.Predefined != "expiringSoon" && (!toSign || q.Type == "") &&
		q.Visibility == "" && q.Search == "" && q.UpdatedFrom.IsZero() && q.UpdatedTo.IsZero() &&
		(q.Sort == "" || q.Sort == "created")
}

// match decodes an item and reports whether the query finds it.
func (q Query) match(p *policy, item []byte, person access.Person, now time.Time) (signing.Package, bool) {
	s, err := signing.ReadPackage(item)
	if err != nil {
		return s, false // nothing can be found in it
	}
	return s, q.matches(p, now, s) &&
		(q.Visibility == "" || q.Visibility == s.Visibility) &&
		!s.Updated.Before(q.UpdatedFrom) && (q.UpdatedTo.IsZero() || !s.Updated.After(q.UpdatedTo)) &&
		q.finds(s, p.accessOf(person) >= Owner, person.Email)
}

// matches reports whether the package has the query's type, folder, statuses and filter.
func (q Query) matches(p *policy, now time.Time, s signing.Package) bool {
	statuses := predefinedStatuses(q.Predefined)
	return p.Type == cmp.Or(q.Type, signing.TypePackage) &&
		(q.Folder == "" || q.inFolder(p)) &&
		(q.Statuses == nil || slices.Contains(q.Statuses, p.Status)) &&
		(statuses == nil || slices.Contains(statuses, p.Status)) &&
		(q.Predefined != "expiringSoon" || !s.Due.IsZero() && s.Due.Before(now.Add(expiringWithin)))
}

func (q Query) inFolder(p *policy) bool {
	return q.Folder == "trashed" || slices.Contains(q.statuses(), p.Status)
}

// finds searches names, descriptions and recipients for the query's text; SearchType
// makes it compare whole names and descriptions. A signer, who is not shown other
// people's addresses, finds nothing by them.
func (q Query) finds(s signing.Package, addresses bool, own string) bool {
	text := safetext.Fold(q.Search)
	name, description := safetext.Fold(s.Name), safetext.Fold(s.Description)
	switch {
	case text == "":
		return true
	case q.SearchType == "exactname":
		return name == text
	case q.SearchType == "exact":
		return name == text || description == text
	}
	texts := []string{name, description}
	for _, r := range s.Roles {
		for _, one := range r.Signers {
			texts = append(texts, safetext.Fold(one.FirstName+" "+one.LastName))
			if addresses || lower(one.Email) == own {
				texts = append(texts, safetext.Fold(one.Email))
			}
		}
	}
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, text) })
}

// compare orders two items by the query's sort, ascending.
func (q Query) compare(a, b searchHit) int {
	switch q.Sort {
	case "completed":
		return a.completed.Compare(b.completed)
	case "updated":
		return a.updated.Compare(b.updated)
	case "due":
		return a.due.Compare(b.due)
	case "name":
		return cmp.Compare(a.name, b.name)
	case "status":
		return cmp.Compare(a.status, b.status)
	}
	return 0 // the order of the lists
}
