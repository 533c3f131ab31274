package portal

import (
	"context"

	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/templates"
)

// fewToSign is how many of the packages that wait for a person the first page shows.
const fewToSign = 3

// ToSign returns the newest packages that wait for the person to sign, at most three.
func (p Packages) ToSign(ctx context.Context, person access.Person) (all []templates.PackageItem, err error) {
	q := queryOf(templates.TabToSign, "")
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

// News returns what happened to the person's packages since they last looked, and how many
// of their packages ended. What they cancelled themselves is no news.
func (p Packages) News(ctx context.Context, person access.Person) (templates.PackageNews, error) {
	found, err := p.Service.Index.News(ctx, person)
	if err != nil {
		return templates.PackageNews{}, err
	}
	return newsOf(person, found)
}

// newsOf counts what was found.
func newsOf(person access.Person, found index.News) (templates.PackageNews, error) {
	n := templates.PackageNews{Signatures: found.Signatures}
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
func (p Packages) news(ctx context.Context, person access.Person, found index.News, v *templates.Packages) error {
	n, err := newsOf(person, found)
	if err != nil {
		return err
	}
	switch v.Tab {
	case templates.TabDone:
		n = templates.PackageNews{Signatures: n.Signatures}
		err = p.Service.Index.SeenOver(ctx, found)
	case templates.TabSent:
		n.Signatures = 0
		err = p.Service.Index.SeenSignatures(ctx, found)
	}
	v.New = map[templates.PackagesTab]int{templates.TabDone: n.Over(), templates.TabSent: n.Signatures}
	return err
}
