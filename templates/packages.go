package templates

import (
	"net/url"
	"strconv"
	"time"

	"countersign/internal/safetext"
)

// DeletePackagesPath is the path of the question whether to delete drafts or templates.
const DeletePackagesPath = "/packages/delete"

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
	// TabTemplates holds the person's own templates.
	TabTemplates PackagesTab = "templates"
)

// Packages is "/packages": the packages that the person made or has to sign, the newest
// first. Its form searches by GET: tab, search.
type Packages struct {
	Common
	Tab PackagesTab
	// Now is the time at which it is shown.
	Now time.Time
	// Search is the searched text; "" if there is no search.
	Search string
	Items  []PackageItem
	// Waiting is the number of packages that wait for the person's signature.
	Waiting int
	// First and Last are the numbers of the first and the last item shown, from 1; Count is
	// the number of all.
	First, Last, Count int
	// OtherTabs counts what the search finds in the other tabs.
	OtherTabs []TabCount
	// New counts what is new in a tab since the person opened it.
	New map[PackagesTab]int
	// MayCreate says that the person may make one.
	MayCreate bool
	// Once tells one press of the buttons that use a template from the next.
	Once string
	// Previous and Next are the paths of the neighbouring parts of the list, or "".
	Previous, Next string
}

// TabCount is the number of packages in a tab.
type TabCount struct {
	ListTab
	Count int
}

// PackageItem is an entry of a list of packages.
type PackageItem struct {
	ID, Name string
	// Status is the platform's; State is "" if its meaning is not known.
	Status                string
	State                 PackageState
	Created, Updated, Due time.Time
	People                []PackagePerson
	// Signed and Asked count the people who have signed, and those who are asked to; both
	// are 0 if that is not for the reader.
	Signed, Asked int
	Signing       Signing
	// Ended says who ended it before all had signed; the zero value if it is unknown.
	Ended Ended
	// Sender names who asks; "" if that is the reader.
	Sender string
	// Template says that drafts are made of it.
	Template bool
	// TrashAt is when it goes to the trash by the rule of retention; zero if it does not yet.
	TrashAt time.Time
}

// Ended says who ended a package before all had signed.
type Ended struct {
	// Cancelled says that it was taken back; else a signer declined or refused it.
	Cancelled bool
	// You says that it was the reader; else Name is who it was.
	You  bool
	Name string
	// Operator says that it was an operator, whose name is not told.
	Operator bool
}

// Signing says whether the person has to sign.
type Signing string

// The values of Signing: no, now, or once it is their turn.
const (
	signingNone  Signing = ""
	SigningNow   Signing = "now"
	SigningLater Signing = "later"
)

// PackagePerson is a signer.
type PackagePerson struct {
	Name string
	// Email is their address; "" if it is not for the reader.
	Email string
	// You says that it is the reader.
	You bool
	// State is "" if it is unknown or not for the reader.
	State PersonState
	// At is the time of their signature; zero if unknown.
	At time.Time
	// Correct is the path of correcting their details; "" if that is not possible.
	Correct string
}

// PersonState is the state of a signer.
type PersonState string

// The states of a signer.
const (
	PersonSigned     PersonState = "page.package.signed"
	PersonUnsigned   PersonState = "page.package.unsigned"
	PersonLater      PersonState = "page.package.later"
	PersonDidNotSign PersonState = "page.package.did-not-sign"
)

// Signed reports whether they have signed.
func (s PersonState) Signed() bool { return s == PersonSigned }

// PackageState is the state of a package.
type PackageState string

// The states of a package.
const (
	PackageDraft     PackageState = "page.package.draft"
	PackageSent      PackageState = "page.package.sent"
	PackageCompleted PackageState = "page.package.completed"
	PackageArchived  PackageState = "page.package.archived"
	PackageDeclined  PackageState = "page.package.declined"
	PackageRefused   PackageState = "page.package.refused"
	PackageExpired   PackageState = "page.package.expired"
)

// endings are the messages of an ending: by the reader, and by somebody with a name.
type endings struct{ byYou, by string }

var (
	cancelled = endings{"page.package.cancelled-by-you", "page.package.cancelled-by"}
	endedIDs  = map[PackageState]endings{
		PackageDeclined: {"page.package.declined-by-you", "page.package.declined-by"},
		PackageRefused:  {"page.package.refused-by-you", "page.package.refused-by"},
	}
)

// State returns the state of a package, as its badge and its heading say it.
func (v View) State(i PackageItem) string {
	how, over := endedIDs[i.State]
	if over && i.Ended.Cancelled {
		how = cancelled
	}
	switch {
	case i.Template:
		return v.T("page.package.template")
	case over && i.Ended.You:
		return v.T(how.byYou)
	case over && i.Ended.Operator:
		return v.T("page.package.cancelled-by-operator")
	case over && i.Ended.Name != "":
		return v.T(how.by, "Name", i.Ended.Name)
	case i.State != "":
		return v.T(string(i.State))
	}
	return safetext.Isolate(i.Status)
}

// Draft reports whether the package was not sent yet.
func (i PackageItem) Draft() bool { return i.State == PackageDraft }

// Sent reports whether the package is with its signers.
func (i PackageItem) Sent() bool { return i.State == PackageSent }

// Kind returns passed, failed, active or over: how the state looks; "" for what was never sent.
func (i PackageItem) Kind() string {
	switch i.State {
	case PackageCompleted, PackageArchived:
		return "passed"
	case PackageSent:
		return "active"
	case PackageDraft:
		return ""
	case PackageDeclined, PackageRefused:
		if !i.Ended.Cancelled {
			return "failed"
		}
	}
	return "over"
}

// DeletePath returns the path of the question whether to delete it.
func (i PackageItem) DeletePath() string {
	return DeletePackagesPath + "?" + url.Values{"id": {i.ID}}.Encode()
}

// Deletable reports whether the tab holds what can be deleted.
func (t PackagesTab) Deletable() bool { return t == TabDrafts || t == TabTemplates }

// Href returns the path of the package's page.
func (i PackageItem) Href() string { return PackagesPath + "/" + url.PathEscape(i.ID) }

// EditPath returns the path of editing a draft.
func (i PackageItem) EditPath() string { return PackagesPath + "/new/" + url.PathEscape(i.ID) }

// ListTab is a tab with its messages.
type ListTab struct {
	PackagesTab
	NameID, NoneID string
}

// Tabs returns the tabs of the list, in order.
func (p Packages) Tabs() []ListTab {
	return []ListTab{
		{TabToSign, "page.packages.to-sign", "page.packages.none-to-sign"},
		{TabSent, "page.packages.sent", "page.packages.none-sent"},
		{TabDone, "page.packages.done", "page.packages.none-done"},
		{TabDrafts, "page.packages.drafts", "page.packages.none-drafts"},
		{TabTemplates, "page.packages.templates", "page.packages.none-templates"},
	}
}

// Open returns the open tab.
func (p Packages) Open() ListTab {
	for _, t := range p.Tabs() {
		if t.PackagesTab == p.Tab {
			return t
		}
	}
	return ListTab{}
}

// PathOf returns the path of a tab with the same search.
func (p Packages) PathOf(tab PackagesTab) string {
	p.Tab = tab
	return p.PathFrom(1)
}

// PathWithoutSearch returns the path of the tab without a search.
func (p Packages) PathWithoutSearch() string {
	p.Search = ""
	return p.PathFrom(1)
}

// PathFrom returns the path of the list from an item on, counted from 1.
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

// Hits names a tab with the number of its packages that a search hits.
func (v View) Hits(t TabCount) string {
	return v.T("format.tab-count", "Tab", v.T(t.NameID), "Count", v.Number(t.Count))
}
