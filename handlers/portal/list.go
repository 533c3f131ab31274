package portal

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/templates"
)

var listTemplate = page.For[templates.Packages]("packages")

// packagesPage lists the packages that a person made or has to sign.
type packagesPage struct{ Packages }

func (p packagesPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages", Serve: p.get},
		{Method: http.MethodGet, Path: "/packages/export", Serve: p.export},
	}
}

// tabs holds the query of each tab.
var tabs = map[templates.PackagesTab]index.Query{
	templates.TabToSign: {Mine: index.MineToSign},
	templates.TabSent:   {Mine: index.MineUnderway},
	templates.TabDone: {Statuses: []string{
		signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired,
	}},
	templates.TabDrafts:    {Mine: index.MineOwner, Statuses: []string{signing.StatusDraft}},
	templates.TabTemplates: {Mine: index.MineOwner, Type: signing.TypeTemplate},
}

// maxSearch limits the search text, in bytes.
const maxSearch = 256

// get answers GET /packages.
func (p packagesPage) get(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	v := templates.Packages{Common: page.Common(c), Tab: tabOf(c), Now: p.Now(), Search: searched(c), MayCreate: p.Service.MayCreate(who.Person)}
	if v.Waiting, err = p.Service.Waiting(c.Request.Context(), who.Person); err != nil {
		return err
	}
	found, err := p.Service.Index.News(c.Request.Context(), who.Person)
	if err != nil {
		return err
	}
	if err := p.fill(c.Request.Context(), who.Person, &v, page.FirstItem(c)); err != nil {
		return err
	}
	if err := p.news(c.Request.Context(), who.Person, found, &v); err != nil {
		return err
	}
	if v.MayCreate && v.Tab == templates.TabTemplates {
		v.Once = p.once(c).Token()
	}
	if v.OtherTabs, err = p.inOtherTabs(c.Request.Context(), who.Person, v); err != nil {
		return err
	}
	return listTemplate.Show(c, p.Renderer, http.StatusOK, v)
}

// fill reads the part of the list that begins with the item of that number.
func (p packagesPage) fill(ctx context.Context, person access.Person, v *templates.Packages, from int) error {
	q := queryOf(v.Tab, v.Search)
	q.From, q.To = from, from+page.PerPage-1
	found, err := p.Service.Index.List(ctx, person, q)
	if err != nil {
		return err
	}
	if from > found.Count && found.Count > 0 {
		return p.fill(ctx, person, v, page.LastPage(found.Count)) // it has become shorter
	}
	for _, item := range found.Items {
		one, err := packageItem(person, item)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, one)
	}
	if err := p.announced(ctx, v.Items); err != nil {
		return err
	}
	v.First, v.Last, v.Count = from, from+len(v.Items)-1, found.Count
	v.Previous, v.Next = page.Neighbors(from, found.Count, v.PathFrom)
	return nil
}

// announced sets when the items go to the trash.
func (p packagesPage) announced(ctx context.Context, items []templates.PackageItem) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	times, err := p.Service.TrashTimes(ctx, ids...)
	for i := range items {
		items[i].TrashAt = times[items[i].ID]
	}
	return err
}

// inOtherTabs counts what a search finds in the tabs that are not open; nothing without a
// search.
func (p packagesPage) inOtherTabs(ctx context.Context, person access.Person, v templates.Packages) (all []templates.TabCount, err error) {
	if v.Search == "" {
		return nil, nil
	}
	for _, tab := range v.Tabs() {
		if tab.PackagesTab == v.Tab {
			continue
		}
		found, err := p.Service.Index.List(ctx, person, queryOf(tab.PackagesTab, v.Search))
		if err != nil {
			return nil, err
		}
		if found.Count > 0 {
			all = append(all, templates.TabCount{ListTab: tab, Count: found.Count})
		}
	}
	return all, nil
}

// queryOf returns the query of a tab's list with a search.
func queryOf(tab templates.PackagesTab, search string) index.Query {
	q := tabs[tab]
	q.Search = search
	return q
}

// exportName is the name of an exported list as a file.
const exportName = `attachment; filename="packages.csv"`

// export answers GET /packages/export with all of the tab's list as CSV.
func (p packagesPage) export(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	table := p.Renderer.Templates.PackageTable(&body, page.Common(c).Language)
	for item, err := range p.Service.Index.Each(c.Request.Context(), who.Person, queryOf(tabOf(c), searched(c))) {
		if err != nil {
			return err
		}
		one, err := packageItem(who.Person, item)
		if err != nil {
			return err
		}
		table.Write(one)
	}
	if err := table.Err(); err != nil {
		return err
	}
	c.Header("Content-Disposition", exportName)
	c.Data(http.StatusOK, "text/csv; charset=utf-8; header=present", body.Bytes())
	return nil
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
	text := safetext.Trimmed(c.Query("search"))
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
	v.Ended, _ = endedOf(o, person)
	v.Sender = senderOf(o, person)
	counted(&v, o, how)
	return v, nil
}

// packageStates are the states of packages, by the platform's statuses.
var packageStates = map[string]templates.PackageState{
	signing.StatusDraft:     templates.PackageDraft,
	signing.StatusSent:      templates.PackageSent,
	signing.StatusCompleted: templates.PackageCompleted,
	signing.StatusArchived:  templates.PackageArchived,
	signing.StatusDeclined:  templates.PackageDeclined,
	signing.StatusOptedOut:  templates.PackageRefused,
	signing.StatusExpired:   templates.PackageExpired,
}

// itemOf returns a package for lists and pages; p is the part that the person may see.
func itemOf(p signing.Package, g index.Grant, how service.Progress) templates.PackageItem {
	return templates.PackageItem{
		ID: p.ID, Name: p.Name, Status: p.Status, State: packageStates[p.Status], Created: p.Created.Time, Updated: p.Updated.Time, Due: p.Due.Time,
		People: people(p, g, how), Template: p.IsTemplate(),
	}
}
