package portal

import (
	"context"
	"strings"

	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/templates"
)

// News counts what happened to a person's packages since they last looked.
type News struct {
	Completed, Declined, Cancelled, Expired int
	// Signatures counts the signatures of others.
	Signatures int
}

// Over returns how many packages ended.
func (n News) Over() int { return n.Completed + n.Declined + n.Cancelled + n.Expired }

// newsLine is a sentence with links in the middle.
type newsLine struct {
	Before, After string
	Links         []newsLink
}

// newsLink is a link with what separates it from the next.
type newsLink struct{ Text, Separator string }

// linksHere stands for the links while the sentence is written.
const linksHere = "\x00"

// Since returns the sentence about packages that ended since the person last looked; nil
// if none has.
func (n News) Since(v templates.View) *newsLine {
	var line newsLine
	for _, kind := range []struct {
		id    string
		count int
	}{
		{"page.lists.completed", n.Completed}, {"page.lists.declined", n.Declined},
		{"page.lists.cancelled", n.Cancelled}, {"page.lists.expired", n.Expired},
	} {
		if kind.count > 0 {
			line.Links = append(line.Links, newsLink{Text: v.N(kind.id, kind.count)})
		}
	}
	if len(line.Links) == 0 {
		return nil
	}
	_, separator, _ := strings.Cut(v.List("", linksHere), "")
	separator = strings.TrimSuffix(separator, linksHere)
	for i := range line.Links[:len(line.Links)-1] {
		line.Links[i].Separator = separator
	}
	line.Before, line.After, _ = strings.Cut(v.T("page.lists.since", "What", linksHere), linksHere)
	return &line
}

// fewToSign is how many of the packages that wait for a person the first page shows.
const fewToSign = 3

// ToSign returns the newest packages that wait for the person to sign, at most three.
func (p Packages) ToSign(ctx context.Context, person access.Person) (all []Item, err error) {
	q := queryOf(tabToSign, "")
	q.From, q.To = 1, fewToSign
	found, err := p.Service.Index.List(ctx, person, q)
	if err != nil {
		return nil, err
	}
	for _, item := range found.Items {
		one, err := packageItem(person, item)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// NewsFor returns what happened to the person's packages since they last looked, and how many
// of their packages ended. What they cancelled themselves is no news.
func (p Packages) NewsFor(ctx context.Context, person access.Person) (News, error) {
	found, err := p.Service.Index.News(ctx, person)
	if err != nil {
		return News{}, err
	}
	return newsOf(person, found)
}

// newsOf counts what was found.
func newsOf(person access.Person, found index.News) (News, error) {
	n := News{Signatures: found.Signatures}
	for _, item := range found.Over {
		one, err := packageItem(person, item)
		if err != nil {
			return n, err
		}
		switch {
		case one.Ended.You:
		case one.Ended.Cancelled:
			n.Cancelled++
		case signing.Finished(one.Status):
			n.Completed++
		case one.Status == signing.StatusExpired:
			n.Expired++
		default:
			n.Declined++
		}
	}
	return n, nil
}

// news adds the news to the tabs of a list. Those of the tab that is open are forgotten; what
// was found was read before the list, so that the list shows all that is forgotten.
func (p Packages) news(ctx context.Context, person access.Person, found index.News, v *listView) error {
	n, err := newsOf(person, found)
	if err != nil {
		return err
	}
	switch v.Tab {
	case tabDone:
		n = News{Signatures: n.Signatures}
		err = p.Service.Index.MarkSeen(ctx, found)
	case tabSent:
		n.Signatures = 0
		err = p.Service.Index.MarkSignaturesSeen(ctx, found)
	}
	v.New = map[tab]int{tabDone: n.Over(), tabSent: n.Signatures}
	return err
}
