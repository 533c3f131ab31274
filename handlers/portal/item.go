package portal

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/internal/payload"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// Item is a package as lists and pages show it.
type Item struct {
	ID, Name string
	// Status is the platform's.
	Status                string
	Created, Updated, Due time.Time
	People                []signerRow
	// Signed and Asked count the people who have signed, and those who are asked to; both
	// are 0 if that is not for the reader.
	Signed, Asked int
	// Signing is signsNow or signsLater; "" if the reader does not sign.
	Signing string
	// Ended says who ended it before all had signed; the zero value if it is unknown.
	Ended packageEnd
	// Sender names who asks; "" if that is the reader.
	Sender string
	// Template says that drafts are made of it.
	Template bool
	// TrashAt is when it goes to the trash by the rule of retention; zero if it does not yet.
	TrashAt time.Time
}

// The values of Item.Signing: now, or once it is the reader's turn.
const (
	signsNow   = "now"
	signsLater = "later"
)

// packageEnd says who ended a package before all had signed.
type packageEnd struct {
	// Cancelled says that it was taken back; else a signer declined or refused it.
	Cancelled bool
	// You says that it was the reader; else Name is who it was.
	You  bool
	Name string
	// Operator says that it was an operator, whose name is not told.
	Operator bool
}

// signerRow is a signer.
type signerRow struct {
	Name string
	// Email is their address; "" if it is not for the reader.
	Email string
	// You says that it is the reader.
	You bool
	// StateID is the message of their state; "" if it is unknown or not for the reader.
	StateID string
	// At is the time of their signature; zero if unknown.
	At time.Time
	// Correct is the path of correcting their details; "" if that is not possible.
	Correct string
}

// signedID is the message of a signer who has signed.
const signedID = "page.package.signed"

// Signed reports whether they have signed.
func (s signerRow) Signed() bool { return s.StateID == signedID }

// stateIDs are the messages of the platform's statuses.
var stateIDs = map[string]string{
	signing.StatusDraft:     "page.package.draft",
	signing.StatusSent:      "page.package.sent",
	signing.StatusCompleted: "page.package.completed",
	signing.StatusArchived:  "page.package.archived",
	signing.StatusDeclined:  "page.package.declined",
	signing.StatusOptedOut:  "page.package.refused",
	signing.StatusExpired:   "page.package.expired",
}

// endings are the messages of an ending: by the reader, and by somebody with a name.
type endings struct{ byYou, by string }

var (
	cancelled = endings{"page.package.cancelled-by-you", "page.package.cancelled-by"}
	endedIDs  = map[string]endings{
		signing.StatusDeclined: {"page.package.declined-by-you", "page.package.declined-by"},
		signing.StatusOptedOut: {"page.package.refused-by-you", "page.package.refused-by"},
	}
)

// State returns the state of the package, as its badge and its heading say it.
func (i Item) State(v templates.View) string {
	how, over := endedIDs[i.Status]
	if over && i.Ended.Cancelled {
		how = cancelled
	}
	switch id := stateIDs[i.Status]; {
	case i.Template:
		return v.T("page.package.template")
	case over && i.Ended.You:
		return v.T(how.byYou)
	case over && i.Ended.Operator:
		return v.T("page.package.cancelled-by-operator")
	case over && i.Ended.Name != "":
		return v.T(how.by, "Name", i.Ended.Name)
	case id != "":
		return v.T(id)
	}
	return safetext.Isolate(i.Status)
}

// StateForReader returns State, which is for a reader who has to sign that it waits for them.
func (i Item) StateForReader(v templates.View) string {
	if i.Signing == signsNow {
		return v.T("page.package.waits-for-you")
	}
	return i.State(v)
}

// Draft reports whether the package was not sent yet.
func (i Item) Draft() bool { return i.Status == signing.StatusDraft }

// Kind returns passed, failed, active or over: how the state looks; "" for what was never sent.
func (i Item) Kind() string {
	switch i.Status {
	case signing.StatusCompleted, signing.StatusArchived:
		return "passed"
	case signing.StatusSent:
		return "active"
	case signing.StatusDraft:
		return ""
	case signing.StatusDeclined, signing.StatusOptedOut:
		if !i.Ended.Cancelled {
			return "failed"
		}
	}
	return "over"
}

// HasSigned reports whether the reader has signed, and need not sign again.
func (i Item) HasSigned() bool {
	return i.Signing != signsNow && !i.Draft() &&
		slices.ContainsFunc(i.People, func(s signerRow) bool { return s.You && s.Signed() })
}

// Progress returns how far the signing of a package is, for the reader: how many have
// signed, or what the reader has to do or has done.
func (i Item) Progress(v templates.View) string {
	var said []string
	switch {
	case i.Signing == signsNow:
		said = append(said, v.T("page.package.waits-for-you"))
	case i.HasSigned():
		said = append(said, v.T("page.package.you-signed"))
	case i.Signing == signsLater:
		said = append(said, v.T("page.package.not-yet"))
	}
	if i.Asked > 0 {
		said = append(said, v.T("page.package.signed-of", "Signed", v.Number(i.Signed), "Asked", v.Number(i.Asked)))
	}
	return strings.Join(said, " · ")
}

// Asker returns who asks the reader to sign, or who sent the package; "" if it is the
// reader's own.
func (i Item) Asker(v templates.View) string {
	switch {
	case i.Sender == "":
		return ""
	case i.Signing == "":
		return v.T("page.package.from", "Name", i.Sender)
	}
	return v.T("page.package.asks", "Name", i.Sender)
}

// Parties returns who asks the reader, as far as that is somebody else, and who signs.
func (i Item) Parties(v templates.View) string {
	both := []string{i.Asker(v), i.Signers(v)}
	return strings.Join(slices.DeleteFunc(both, func(one string) bool { return one == "" }), " · ")
}

// Signers returns the names of the people who sign, the reader marked.
func (i Item) Signers(v templates.View) string {
	names := make([]string, len(i.People))
	for n, one := range i.People {
		if names[n] = safetext.Isolate(one.Name); one.You {
			names[n] += " (" + v.T("page.package.you") + ")"
		}
	}
	return v.List(names...)
}

// soon is how long before its end a package is urgent.
const soon = 3 * 24 * time.Hour

// DueSent reports whether its signers have until Due.
func (i Item) DueSent() bool { return i.Status == signing.StatusSent && !i.Due.IsZero() }

// DueSoon reports whether it is due within three days.
func (i Item) DueSoon(now time.Time) bool { return i.DueSent() && i.Due.Sub(now) <= soon }

// DueDay returns the day of Due, by its name if it is today or tomorrow.
func (i Item) DueDay(v templates.View, now time.Time) string {
	for days, id := range []string{"page.lists.today", "page.lists.tomorrow"} {
		if i.Due.UTC().Format(time.DateOnly) == now.UTC().AddDate(0, 0, days).Format(time.DateOnly) {
			return v.T(id)
		}
	}
	return v.Day(i.Due, now)
}

// Href returns the path of the package's page.
func (i Item) Href() string { return packagePath(i.ID) }

// EditPath returns the path of editing a draft.
func (i Item) EditPath() string { return draftPath(i.ID) }

// DeletePath returns the path of the question whether to delete it.
func (i Item) DeletePath() string { return deletePath + "?" + url.Values{"id": {i.ID}}.Encode() }

// itemOf returns a package for lists and pages; p is the part that the person may see.
func itemOf(p signing.Package, g index.Grant, how service.Progress) Item {
	return Item{
		ID: p.ID, Name: p.Name, Status: p.Status, Created: p.Created.Time, Updated: p.Updated.Time, Due: p.Due.Time,
		People: people(p, g, how), Template: p.IsTemplate(),
	}
}

// corrected sets the address of the correction page for each person who has not signed
// and can be corrected.
func corrected(p signing.Package, how service.Progress, all []signerRow) {
	i := 0
	for _, r := range p.Roles {
		if !how.Asked(r) {
			continue
		}
		for range r.Signers {
			if how.Waits(r) && r.Type != signing.RoleSender && len(r.Signers) == 1 {
				all[i].Correct = packagePath(p.ID) + "/recipients/" + url.PathEscape(r.ID)
			}
			i++
		}
	}
}

// people returns the signers of a package as the grant's person may see them.
func people(p signing.Package, g index.Grant, how service.Progress) (all []signerRow) {
	for _, r := range p.Roles {
		if !how.Asked(r) {
			continue
		}
		for _, s := range r.Signers {
			one := signerRow{Name: s.Name(), You: slices.Contains(g.Roles, r.ID) && (s.Email != "" || len(r.Signers) == 1)}
			if g.Access > index.Signer {
				one.You = slices.Contains(g.Names, payload.FoldAddress(s.Email))
			}
			// A signer sees only their own state until everyone has signed.
			if g.Access > index.Signer || one.You || signing.Finished(p.Status) {
				if one.StateID = stateOfRole(p, r, how); one.Signed() {
					one.At = p.SignedAt(r.ID)
				}
			}
			all = append(all, one)
		}
	}
	return all
}

// stateOfRole returns the message of the state of a role's signer.
func stateOfRole(p signing.Package, r signing.Role, how service.Progress) string {
	switch {
	case p.Status == signing.StatusDraft:
		return ""
	case !how.Waits(r):
		return signedID
	case p.Status != signing.StatusSent:
		return "page.package.did-not-sign"
	case p.Turn(r, how.Waits):
		return "page.package.unsigned"
	}
	return "page.package.later"
}
