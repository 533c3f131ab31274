package templates

import (
	"io"
	"slices"
	"strings"
	"time"

	"countersign/internal/safetext"
)

// exportPath is the path of a list as a table for spreadsheets.
const exportPath = PackagesPath + "/export"

// ExportHref returns the path of the whole list as a table, with the same search.
func (p Packages) ExportHref() string {
	return exportPath + strings.TrimPrefix(p.PathFrom(1), PackagesPath)
}

// Badge returns the number on a tab: what waits for the person, or what is new.
func (p Packages) Badge(tab PackagesTab) int {
	if tab == TabToSign {
		return p.Waiting
	}
	return p.New[tab]
}

// BadgeID returns the message that says what the number on a tab counts.
func (p Packages) BadgeID(tab PackagesTab) string {
	switch tab {
	case TabToSign:
		return "page.packages.waiting"
	case TabSent:
		return "page.lists.new-signatures"
	}
	return "page.lists.new-done"
}

// HasSigned reports whether the reader has signed, and need not sign again.
func (i PackageItem) HasSigned() bool {
	return i.Signing != SigningNow && !i.Draft() &&
		slices.ContainsFunc(i.People, func(p PackagePerson) bool { return p.You && p.State.Signed() })
}

// StateForReader returns the state of a package, which is for a reader who has to sign that it
// waits for them.
func (v View) StateForReader(i PackageItem) string {
	if i.Signing == SigningNow {
		return v.T("page.package.waits-for-you")
	}
	return v.State(i)
}

// Progress returns how far the signing of a package is, for the reader: how many have
// signed, or what the reader has to do or has done.
func (v View) Progress(i PackageItem) string {
	var said []string
	switch {
	case i.Signing == SigningNow:
		said = append(said, v.T("page.package.waits-for-you"))
	case i.HasSigned():
		said = append(said, v.T("page.package.you-signed"))
	case i.Signing == SigningLater:
		said = append(said, v.T("page.package.not-yet"))
	}
	if i.Asked > 0 {
		said = append(said, v.T("page.package.signed-of", "Signed", v.Number(i.Signed), "Asked", v.Number(i.Asked)))
	}
	return strings.Join(said, " · ")
}

// Asker returns who asks the reader to sign, or whom the package is from; "" if it is the
// reader's own.
func (v View) Asker(i PackageItem) string {
	switch {
	case i.Sender == "":
		return ""
	case i.Signing == signingNone:
		return v.T("page.package.from", "Name", i.Sender)
	}
	return v.T("page.package.asks", "Name", i.Sender)
}

// Parties returns who asks the reader, as far as that is somebody else, and who signs.
func (v View) Parties(i PackageItem) string {
	var said []string
	for _, part := range []string{v.Asker(i), v.Signers(i)} {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, " · ")
}

// Signers returns the names of the people who sign, the reader marked.
func (v View) Signers(i PackageItem) string {
	var names []string
	for _, one := range i.People {
		if one.You {
			names = append(names, safetext.Isolate(one.Name)+" ("+v.T("page.package.you")+")")
		} else {
			names = append(names, safetext.Isolate(one.Name))
		}
	}
	return v.printer.List(names...)
}

// soon is how long before its end a package is urgent.
const soon = 3 * 24 * time.Hour

// DueSent reports whether its signers have until Due.
func (i PackageItem) DueSent() bool { return i.Sent() && !i.Due.IsZero() }

// DueSoon reports whether it is due within three days.
func (i PackageItem) DueSoon(now time.Time) bool { return i.DueSent() && i.Due.Sub(now) <= soon }

// ShowsDue reports whether the tab holds what can be due.
func (t PackagesTab) ShowsDue() bool { return t == TabToSign || t == TabSent }

// StateIn returns the kind of an item's state; "" if the tab says the state of all its items.
func (p Packages) StateIn(i PackageItem) string {
	if p.Tab != TabDone {
		return ""
	}
	return i.Kind()
}

// Day returns the day of t for people, in UTC, without the year if it is the year of now.
func (v View) Day(t, now time.Time) string { return v.printer.Day(t, now) }

// DueDay is Day, by its name if it is today or tomorrow.
func (v View) DueDay(t, now time.Time) string {
	for days, id := range []string{"page.lists.today", "page.lists.tomorrow"} {
		if t.UTC().Format(time.DateOnly) == now.UTC().AddDate(0, 0, days).Format(time.DateOnly) {
			return v.T(id)
		}
	}
	return v.Day(t, now)
}

// Range returns which items of how many are shown, such as "1–20 of 32".
func (v View) Range(first, last, count int) string {
	return v.T("page.lists.range", "First", v.Number(first), "Last", v.Number(last), "Count", v.Number(count))
}

// packageTable writes a list of packages as CSV, in the reader's language: what a row of
// the page shows, one record for each.
type packageTable struct {
	view View
	to   io.Writer
	err  error
}

// PackageTable returns the table that is written to w, beginning with a byte order mark,
// which tells spreadsheets that it is UTF-8, and the names of its columns.
func (p *Pages) PackageTable(w io.Writer, language string) *packageTable {
	t := &packageTable{view: View{printer: p.bundle.For(language), pages: p}, to: w}
	_, t.err = io.WriteString(w, "\ufeff")
	ids := []string{"page.lists.column-name", "page.lists.column-state", "page.lists.column-progress", "page.packages.people", "page.lists.column-changed", "page.lists.column-due", "page.lists.column-sender"}
	for i, id := range ids {
		ids[i] = t.view.T(id)
	}
	t.record(ids...)
	return t
}

func (t *packageTable) record(cells ...string) {
	if t.err == nil {
		_, t.err = t.to.Write(safetext.AppendRecord(nil, cells...))
	}
}

// Write writes the record of a package.
func (t *packageTable) Write(i PackageItem) {
	due := ""
	if i.Sent() {
		due = stamp(i.Due)
	}
	unmarked := safetext.WithoutDirections // a cell stands by itself
	t.record(unmarked(i.Name), unmarked(t.view.State(i)), t.view.Progress(i), unmarked(t.view.Signers(i)), stamp(i.Updated), due, unmarked(i.Sender))
}

// Err returns the first error of the writer.
func (t *packageTable) Err() error { return t.err }

// stamp returns a time as spreadsheets read it, in UTC; "" for none.
func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}
