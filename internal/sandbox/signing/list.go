package signing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// keptListings limits the cached results of queries.
const keptListings = 8

// listing is the result of a query in one version of the store, in order. It is kept for
// the next window of the same query.
type listing struct {
	query   query
	version int
	found   []*pkg
}

// list returns the number of packages that the query finds, and those in its window.
func (s *store) list(q query) (int, []*pkg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	found := s.matching(q)
	first, last := q.from-1, q.to
	if s.account.exclusive && q.to > 0 {
		last--
	}
	if q.to == 0 || last-first > s.account.maxPage {
		last = first + s.account.maxPage
	}
	last = min(last, len(found))
	if first >= last {
		return len(found), nil
	}
	return len(found), found[first:last]
}

// matching returns every package that the query finds, in order; s.mu is held.
func (s *store) matching(q query) []*pkg {
	now := s.now()
	q.from, q.to, q.idsOnly = 0, 0, false
	s.listings = slices.DeleteFunc(s.listings, func(l listing) bool { return l.version != s.version })
	i := slices.IndexFunc(s.listings, func(l listing) bool { return l.query == q })
	if i >= 0 && q.predefined != "expiringSoon" {
		return s.listings[i].found
	}
	var found []*pkg
	for _, p := range s.ordered {
		if q.matches(p, now) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, q.compare)
	s.listings = append(s.listings[:min(len(s.listings), keptListings-1)], listing{query: q, version: s.version, found: found})
	return found
}

// compare sorts the newest first if the query names no direction; packages of one time
// are in the order of their creation, or the reverse.
func (q *query) compare(a, b *pkg) int {
	order := cmp.Or(q.compareBySort(a, b), cmp.Compare(a.number, b.number))
	if q.ascending {
		return order
	}
	return -order
}

func (q *query) compareBySort(a, b *pkg) int {
	at := func(d *date) time.Time {
		if d == nil {
			return time.Time{}
		}
		return d.at
	}
	switch q.sort {
	case "completed":
		return at(a.Completed).Compare(at(b.Completed))
	case "updated":
		return a.Updated.at.Compare(b.Updated.at)
	case "due":
		return at(a.Due).Compare(at(b.Due))
	case "name":
		return cmp.Compare(a.Name, b.Name)
	case "status":
		return cmp.Compare(a.Status, b.Status)
	default:
		return a.Created.at.Compare(b.Created.at)
	}
}

func (q *query) matches(p *pkg, now time.Time) bool {
	return p.Type == q.kind &&
		q.inFolder(p) && q.inPredefined(p, now) &&
		(q.visibility == "" || p.Visibility == q.visibility) &&
		!p.Updated.at.Before(q.since) && (q.until.IsZero() || !p.Updated.at.After(q.until)) &&
		(q.ownerID == "" || p.Sender.ID == q.ownerID) && (q.ownerEmail == "" || p.Sender.Email == q.ownerEmail) &&
		q.found(p)
}

// inFolder reports whether a package is in the query's folder or has its status. Drafts
// is the whole folder, which also has expired and declined packages.
func (q *query) inFolder(p *pkg) bool {
	if q.folder == "trashed" {
		return p.Trashed
	}
	if p.Trashed {
		return false
	}
	switch q.folder {
	case "":
		return true
	case "inbox":
		return p.Status != draft
	case "drafts", draft:
		return slices.Contains([]string{draft, expired, declined, optedOut}, p.Status)
	default:
		return p.Status == q.folder
	}
}

// soon is the range of predefined=expiringSoon.
const soon = 7 * 24 * time.Hour

func (q *query) inPredefined(p *pkg, now time.Time) bool {
	switch q.predefined {
	case "awaitingSignature", "sent":
		return p.Status == sent
	case "completed":
		return p.Status == completed
	case "expiringSoon":
		return p.Status == sent && p.Due != nil && p.Due.at.Before(now.Add(soon))
	default:
		return true
	}
}

// found searches the names, descriptions and recipients for parts of words, or for whole
// ones.
func (q *query) found(p *pkg) bool {
	switch {
	case q.search == "":
		return true
	case q.searchType == "exact" || q.searchType == "exactname":
		name, description := folded(p.Name), folded(p.Description)
		return name == q.search || q.searchType == "exact" && description == q.search
	}
	texts := []string{p.Name, p.Description}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			texts = append(texts, s.FirstName, s.LastName, s.Email)
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(folded(text), q.search) })
}

// folded returns a text as it compares: composed, in one case of letters, and with one blank
// between words.
func folded(text string) string {
	return strings.Join(strings.Fields(norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))), " ")
}
