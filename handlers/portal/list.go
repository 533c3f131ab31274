package portal

import (
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
)

var listTemplate = page.For[listView]("packages")

// packagesPage lists the packages that a person made or has to sign.
type packagesPage struct{ Packages }

func (p packagesPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages", Serve: p.get},
		{Method: http.MethodGet, Path: "/packages/export", Serve: p.export},
	}
}

// tabs holds the query of each tab.
var tabs = map[tab]index.Query{
	tabToSign: {Mine: index.MineToSign},
	tabSent:   {Mine: index.MineUnderway},
	tabDone: {Statuses: []string{
		signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired,
	}},
	tabDrafts:    {Mine: index.MineOwner, Statuses: []string{signing.StatusDraft}},
	tabTemplates: {Mine: index.MineOwner, Type: signing.TypeTemplate},
}

// maxSearch limits the search text, in bytes.
const maxSearch = 256

// get answers GET /packages.
func (p packagesPage) get(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	v := listView{Common: page.Common(c), Tab: tabOf(c), Now: p.Now(), Search: searched(c), MayCreate: p.Service.MayCreate(who.Person)}
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
	if v.MayCreate && v.Tab == tabTemplates {
		v.Once = p.once(c).Token()
	}
	if v.OtherTabs, err = p.inOtherTabs(c.Request.Context(), who.Person, v); err != nil {
		return err
	}
	return listTemplate.Show(c, p.Renderer, http.StatusOK, v)
}

// fill reads the part of the list that begins with the item of that number.
func (p packagesPage) fill(ctx context.Context, person access.Person, v *listView, from int) error {
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
func (p packagesPage) announced(ctx context.Context, items []Item) error {
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
func (p packagesPage) inOtherTabs(ctx context.Context, person access.Person, v listView) (all []tabCount, err error) {
	if v.Search == "" {
		return nil, nil
	}
	for _, t := range v.Tabs() {
		if t.Tab == v.Tab {
			continue
		}
		found, err := p.Service.Index.List(ctx, person, queryOf(t.Tab, v.Search))
		if err != nil {
			return nil, err
		}
		if found.Count > 0 {
			all = append(all, tabCount{shownTab: t, Count: found.Count})
		}
	}
	return all, nil
}

// queryOf returns the query of a tab's list with a search.
func queryOf(t tab, search string) index.Query {
	q := tabs[t]
	q.Search = search
	return q
}

// tabOf returns the requested tab, by default the packages that wait for the person.
func tabOf(c *gin.Context) tab {
	asked := tab(c.Query("tab"))
	if _, known := tabs[asked]; !known {
		return tabToSign
	}
	return asked
}

// searched returns the search text, cut to maxSearch.
func searched(c *gin.Context) string {
	text := safetext.Trim(c.Query("search"))
	if len(text) > maxSearch {
		text = strings.ToValidUTF8(text[:maxSearch], "")
	}
	return text
}

// packageItem returns an item of the person's list for the page.
func packageItem(person access.Person, item index.Item) (Item, error) {
	o, err := service.OpenItem(person, item)
	if err != nil {
		return Item{}, err
	}
	how := service.ProgressIn(item)
	v := itemOf(o.Visible, item.Grant, how)
	v.Signing = signingOf(o, item.Grant, how)
	v.Ended, _ = endedOf(o, person)
	v.Sender = senderOf(o, person)
	fillCounts(&v, o, how)
	return v, nil
}
