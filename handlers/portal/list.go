package portal

import (
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// PackagesPage lists the packages that a person made or has to sign.
type PackagesPage struct {
	Renderer page.Renderer
	Packages
}

// tabs holds the query of each tab.
var tabs = map[templates.PackagesTab]index.Query{
	templates.TabToSign: {Mine: index.MineToSign},
	templates.TabSent:   {Mine: index.MineUnderway},
	templates.TabDone: {Statuses: []string{
		signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired,
	}},
	templates.TabDrafts: {Mine: index.MineOwner, Statuses: []string{signing.StatusDraft}},
}

// maxSearch limits the search text, in bytes.
const maxSearch = 256

// Show answers GET /packages.
func (p PackagesPage) Show(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	v := templates.Packages{Common: page.Common(c), Tab: tabOf(c), Search: searched(c), MayCreate: p.Service.MayCreate(who.Person)}
	if v.Waiting, err = p.Service.Waiting(c.Request.Context(), who.Person); err != nil {
		return err
	}
	q := tabs[v.Tab]
	q.Search, q.From = v.Search, page.FirstItem(c)
	q.To = q.From + page.PerPage - 1
	found, err := p.Service.Index.List(c.Request.Context(), who.Person, q)
	if err != nil {
		return err
	}
	for _, item := range found.Items {
		one, err := packageItem(who.Person, item)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, one)
	}
	v.Previous, v.Next = page.Neighbors(q.From, found.Count, v.PathFrom)
	return p.Renderer.Render(c, http.StatusOK, func(w io.Writer) error { return p.Renderer.Templates.Packages(w, v) })
}

// tabOf returns the requested tab, by default the packages that wait for the person.
func tabOf(c *gin.Context) templates.PackagesTab {
	tab := templates.PackagesTab(c.Query("tab"))
	if _, known := tabs[tab]; !known {
		return templates.TabToSign
	}
	return tab
}

// searched returns the search text, cut to maxSearch.
func searched(c *gin.Context) string {
	text := strings.TrimSpace(c.Query("search"))
	if len(text) > maxSearch {
		text = strings.ToValidUTF8(text[:maxSearch], "")
	}
	return text
}

// packageItem returns an item of the person's list for the page.
func packageItem(person access.Person, item index.Item) (templates.PackageItem, error) {
	o, err := service.OpenItem(person, item)
	if err != nil {
		return templates.PackageItem{}, err
	}
	how := service.ProgressIn(item)
	v := itemOf(o.Visible, item.Grant, how)
	v.Signing = signingOf(o, item.Grant, how)
	return v, nil
}

// itemOf returns a package for lists and pages; p is the part that the person may see.
func itemOf(p signing.Package, g index.Grant, how service.Progress) templates.PackageItem {
	return templates.PackageItem{
		ID: p.ID, Name: p.Name, Status: p.Status, Created: p.Created.Time, Updated: p.Updated.Time, Due: p.Due.Time,
		People: people(p, g, how),
	}
}
