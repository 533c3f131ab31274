package portal

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/templates"
)

// tab is a tab of the list, as the query names it.
type tab string

// The tabs.
const (
	tabToSign tab = "to-sign"
	tabSent   tab = "sent"
	tabDone   tab = "done"
	tabDrafts tab = "drafts"
	// tabTemplates holds the person's own templates.
	tabTemplates tab = "templates"
)

// listView is "/packages": the packages that the person made or has to sign, the newest
// first. Its form searches by GET: tab, search.
type listView struct {
	templates.Common
	Tab tab
	// Now is the time at which it is shown.
	Now time.Time
	// Search is the searched text; "" if there is no search.
	Search string
	Items  []Item
	// Waiting is the number of packages that wait for the person's signature.
	Waiting int
	// First and Last are the numbers of the first and the last item shown, from 1; Count is
	// the number of all.
	First, Last, Count int
	// OtherTabs counts what the search finds in the other tabs.
	OtherTabs []tabCount
	// New counts what is new in a tab since the person opened it.
	New map[tab]int
	// MayCreate says that the person may make one.
	MayCreate bool
	// Once tells one press of the buttons that use a template from the next.
	Once string
	// Previous and Next are the paths of the neighbouring parts of the list, or "".
	Previous, Next string
}

// tabCount is the number of packages in a tab.
type tabCount struct {
	shownTab
	Count int
}

// Hits names the tab with the number of its packages that a search hits.
func (t tabCount) Hits(v templates.View) string {
	return v.T("format.tab-count", "Tab", v.T(t.NameID), "Count", v.Number(t.Count))
}

// Deletable reports whether the tab holds what can be deleted.
func (t tab) Deletable() bool { return t == tabDrafts || t == tabTemplates }

// ShowsDue reports whether the tab holds what can be due.
func (t tab) ShowsDue() bool { return t == tabToSign || t == tabSent }

// shownTab is a tab with its messages.
type shownTab struct {
	Tab            tab
	NameID, NoneID string
}

// Tabs returns the tabs of the list, in order.
func (listView) Tabs() []shownTab {
	return []shownTab{
		{tabToSign, "page.packages.to-sign", "page.packages.none-to-sign"},
		{tabSent, "page.packages.sent", "page.packages.none-sent"},
		{tabDone, "page.packages.done", "page.packages.none-done"},
		{tabDrafts, "page.packages.drafts", "page.packages.none-drafts"},
		{tabTemplates, "page.packages.templates", "page.packages.none-templates"},
	}
}

// Open returns the open tab.
func (p listView) Open() shownTab {
	all := p.Tabs()
	return all[max(0, slices.IndexFunc(all, func(t shownTab) bool { return t.Tab == p.Tab }))]
}

// PathOf returns the path of a tab with the same search.
func (p listView) PathOf(t tab) string {
	p.Tab = t
	return p.PathFrom(1)
}

// PathWithoutSearch returns the path of the tab without a search.
func (p listView) PathWithoutSearch() string {
	p.Search = ""
	return p.PathFrom(1)
}

// PathFrom returns the path of the list from an item on, counted from 1.
func (p listView) PathFrom(from int) string {
	query := url.Values{}
	if p.Tab != tabToSign {
		query.Set("tab", string(p.Tab))
	}
	if p.Search != "" {
		query.Set("search", p.Search)
	}
	if from > 1 {
		query.Set("from", strconv.Itoa(from))
	}
	if len(query) == 0 {
		return packagesPath
	}
	return packagesPath + "?" + query.Encode()
}

// ExportHref returns the path of the whole list as a table, with the same search.
func (p listView) ExportHref() string {
	return packagesPath + "/export" + strings.TrimPrefix(p.PathFrom(1), packagesPath)
}

// Badge returns the number on a tab: what waits for the person, or what is new.
func (p listView) Badge(t tab) int {
	if t == tabToSign {
		return p.Waiting
	}
	return p.New[t]
}

// BadgeID returns the message that says what the number on a tab counts.
func (p listView) BadgeID(t tab) string {
	switch t {
	case tabToSign:
		return "page.packages.waiting"
	case tabSent:
		return "page.lists.new-signatures"
	}
	return "page.lists.new-done"
}

// StateIn returns the kind of an item's state; "" if the tab says the state of all its items.
func (p listView) StateIn(i Item) string {
	if p.Tab != tabDone {
		return ""
	}
	return i.Kind()
}
