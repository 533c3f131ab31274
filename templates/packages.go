package templates

import (
	"io"
	"net/url"
	"strconv"
	"time"
)

// PackagesPath begins the paths of the pages of packages.
const PackagesPath = "/packages"

// PackagesTab is a tab of the list, as the query names it.
type PackagesTab string

// The tabs.
const (
	TabToSign PackagesTab = "to-sign"
	TabSent   PackagesTab = "sent"
	TabDone   PackagesTab = "done"
	TabDrafts PackagesTab = "drafts"
)

// Packages is "/packages": those that the person made or is to sign, the newest first.
// Its form searches by GET: tab, search.
type Packages struct {
	Common
	Tab PackagesTab
	// Search is what is searched for; "" for nothing.
	Search string
	Items  []PackageItem
	// Waiting is how many packages wait for the person to sign.
	Waiting int
	// MayCreate says that the person may make one.
	MayCreate bool
	// Previous and Next lead to the neighbouring parts of the list; "" where there is none.
	Previous, Next string
}

// PackageItem is one of a list.
type PackageItem struct {
	ID, Name string
	// Status is the platform's.
	Status                string
	Created, Updated, Due time.Time
	People                []PackagePerson
	Signing               Signing
}

// Signing is whether the person is to sign.
type Signing string

// The values of Signing: not at all, now, or when it is their turn.
const (
	SigningNone  Signing = ""
	SigningNow   Signing = "now"
	SigningLater Signing = "later"
)

// PackagePerson is somebody who signs.
type PackagePerson struct {
	Name string
	// You says that it is whoever reads.
	You bool
	// State is "" where there is nothing to say, or it is not for whoever reads.
	State PersonState
	// At is when they signed; zero for unknown.
	At time.Time
	// Correct is where they are corrected; "" where they cannot be.
	Correct string
}

// PersonState is where somebody who signs stands.
type PersonState string

// The states of those who sign.
const (
	PersonSigned     PersonState = "page.package.signed"
	PersonUnsigned   PersonState = "page.package.unsigned"
	PersonLater      PersonState = "page.package.later"
	PersonDidNotSign PersonState = "page.package.did-not-sign"
)

// Signed reports whether they have signed.
func (s PersonState) Signed() bool { return s == PersonSigned }

var packageStateIDs = map[string]string{
	"DRAFT":     "page.package.draft",
	"SENT":      "page.package.sent",
	"COMPLETED": "page.package.completed",
	"ARCHIVED":  "page.package.archived",
	"DECLINED":  "page.package.declined",
	"OPTED_OUT": "page.package.refused",
	"EXPIRED":   "page.package.expired",
}

// StateID is the message that names the state; "" for one that no word is known for.
func (i PackageItem) StateID() string { return packageStateIDs[i.Status] }

// Href is where the package's page is.
func (i PackageItem) Href() string { return PackagesPath + "/" + url.PathEscape(i.ID) }

// EditPath is where a draft is edited.
func (i PackageItem) EditPath() string { return PackagesPath + "/new/" + url.PathEscape(i.ID) }

// ListTab is a tab with its messages.
type ListTab struct {
	PackagesTab
	NameID, NoneID string
}

// Tabs are those of the list, in their order.
func (p Packages) Tabs() []ListTab {
	return []ListTab{
		{TabToSign, "page.packages.to-sign", "page.packages.none-to-sign"},
		{TabSent, "page.packages.sent", "page.packages.none-sent"},
		{TabDone, "page.packages.done", "page.packages.none-done"},
		{TabDrafts, "page.packages.drafts", "page.packages.none-drafts"},
	}
}

// Open is the tab that is open.
func (p Packages) Open() ListTab {
	for _, t := range p.Tabs() {
		if t.PackagesTab == p.Tab {
			return t
		}
	}
	return ListTab{}
}

// PathOf is where a tab is, for the same search.
func (p Packages) PathOf(tab PackagesTab) string {
	p.Tab = tab
	return p.PathFrom(1)
}

// PathWithoutSearch is where the tab is without a search.
func (p Packages) PathWithoutSearch() string {
	p.Search = ""
	return p.PathFrom(1)
}

// PathFrom is where the list goes on from an item, from 1.
func (p Packages) PathFrom(from int) string {
	query := url.Values{}
	if p.Tab != TabToSign {
		query.Set("tab", string(p.Tab))
	}
	if p.Search != "" {
		query.Set("search", p.Search)
	}
	if from > 1 {
		query.Set("from", strconv.Itoa(from))
	}
	if len(query) == 0 {
		return PackagesPath
	}
	return PackagesPath + "?" + query.Encode()
}

// Packages writes "/packages".
func (p *Pages) Packages(w io.Writer, page Packages) error {
	return p.write(w, "packages", page.Common, page)
}
