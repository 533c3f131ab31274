package templates

import "io"

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

// DeletePackages writes "/packages/delete".
func (p *Pages) DeletePackages(w io.Writer, page DeletePackages) error {
	return p.write(w, "package-delete", page.Common, page)
}
