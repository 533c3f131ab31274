package portal

import (
	"context"

	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/templates"
)

// News returns what happened to the person's packages since they last looked, and how many
// of their packages ended. What they cancelled themselves is no news.
func (p Packages) News(ctx context.Context, person access.Person) (templates.PackageNews, error) {
	found, err := p.Service.Index.News(ctx, person)
	n := templates.PackageNews{Signatures: found.Signatures}
	if err != nil {
		return n, err
	}
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

// news adds the news to the tabs of a list, and forgets those of the tab that is open.
func (p Packages) news(ctx context.Context, person access.Person, v *templates.Packages) error {
	var err error
	switch v.Tab {
	case templates.TabDone:
		err = p.Service.Index.SeenOver(ctx, person)
	case templates.TabSent:
		err = p.Service.Index.SeenSignatures(ctx, person)
	}
	if err != nil {
		return err
	}
	n, err := p.News(ctx, person)
	v.New = map[templates.PackagesTab]int{templates.TabDone: n.Over(), templates.TabSent: n.Signatures}
	return err
}
