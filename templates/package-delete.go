package templates

import (
	"net/url"
	"slices"
)

// deletePackagesPath is the path of the question whether to delete drafts or templates.
const deletePackagesPath = "/packages/delete"

// DeletePackages is "/packages/delete": the question whether to delete some drafts or
// templates. Its form posts urlencoded there: id, once for each.
type DeletePackages struct {
	Common
	Items []PackageItem
	// Back is the path of the list that they are in.
	Back string
}

// AskID returns the id of the question.
func (d DeletePackages) AskID() string {
	if slices.ContainsFunc(d.Items, func(i PackageItem) bool { return !i.Template }) {
		return "page.delete.ask"
	}
	return "page.delete.ask-templates"
}

// Action returns the address of the form: the question itself, to which a sign-in leads back.
func (d DeletePackages) Action() string {
	query := url.Values{}
	for _, item := range d.Items {
		query.Add("id", item.ID)
	}
	return deletePackagesPath + "?" + query.Encode()
}
