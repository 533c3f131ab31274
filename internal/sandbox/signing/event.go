package signing

import (
	"slices"
	"time"
)

// The names of packages' events (docs/platform.md S13). The callback receives all except
// the last three.
const (
	packageCreated     = "PACKAGE_CREATE"
	templateCreated    = "TEMPLATE_CREATE"
	packageActivated   = "PACKAGE_ACTIVATE"
	packageDeactivated = "PACKAGE_DEACTIVATE"
	packageReady       = "PACKAGE_READY_FOR_COMPLETE"
	packageCompleted   = "PACKAGE_COMPLETE"
	packageArchived    = "PACKAGE_ARCHIVE"
	packageRestored    = "PACKAGE_RESTORE"
	packageDeclined    = "PACKAGE_DECLINE"
	packageOptedOut    = "PACKAGE_OPT_OUT"
	packageExpired     = "PACKAGE_EXPIRE"
	packageTrashed     = "PACKAGE_TRASH"
	packageDeleted     = "PACKAGE_DELETE"
	packageAttachment  = "PACKAGE_ATTACHMENT"
	documentSigned     = "DOCUMENT_SIGNED"
	signerCompleted    = "SIGNER_COMPLETE"
	roleReassigned     = "ROLE_REASSIGN"

	documentViewed = "DOCUMENT_VIEWED"
	roleInvited    = "ROLE_INVITE"
	roleReminded   = "ROLE_REMIND"
	// attachmentsChecked is told once for a signer all of whose files have been looked at.
	attachmentsChecked = "ATTACHMENT_VALIDATION_RESULT"
)

// statusEvents are the events of a package's change to a status.
var statusEvents = map[string]string{
	draft: packageDeactivated, sent: packageActivated, completed: packageCompleted, archived: packageArchived,
	declined: packageDeclined, optedOut: packageOptedOut, expired: packageExpired,
}

// actor performs an action: a signer, or the account.
type actor struct {
	party
	ip   string // "" for the platform itself
	site string // the platform's address as used by the actor's client
}

// event is an event of a package: for its audit trail, the callback and the people
// concerned.
type event struct {
	name       string
	at         date
	by         actor
	user       signer // who by was then, as packages change hands
	about      string // who the role's signer was then
	documentID string
	roleID     string
	message    string // why a package was declined, or what a notification says
	methods    []method
}

// eventsBetween returns the events that lie between two states of a package; before is nil for
// a new package.
func eventsBetween(before, after *pkg, by actor, now time.Time) []event {
	var list []event
	note := func(e event) {
		e.at, e.by = dateOf(now), by
		if before.has(by.party) {
			e.user = before.signer(by.party)
		}
		list = append(list, e)
	}
	if before == nil {
		before = &pkg{Status: draft}
		if after.Type == typeTemplate {
			note(event{name: templateCreated})
		} else {
			note(event{name: packageCreated})
		}
	}
	noteSignatures(before, after, note)
	if after.Status != before.Status {
		name := statusEvents[after.Status]
		if before.Status == archived {
			name = packageRestored
		}
		note(event{name: name, message: after.lastMessage(len(before.Messages))})
	}
	switch {
	case after.Trashed && !before.Trashed:
		note(event{name: packageTrashed})
	case before.Trashed && !after.Trashed:
		note(event{name: packageRestored})
	}
	noteReassigned(before, after, by, note)
	for _, r := range after.Roles {
		if after.awaits(r) && !before.awaitedAlike(r) {
			note(event{name: roleInvited, roleID: r.ID})
		}
		noteAttached(before, after, r, note)
	}
	return list
}

// noteAttached records the new files of a role's signers.
func noteAttached(before, after *pkg, r role, note func(event)) {
	for _, q := range r.AttachmentRequirements {
		for _, a := range q.Files {
			key := q.key(r.ID, a)
			if before.attached[key] == nil && after.attached[key] != nil {
				note(event{name: packageAttachment, roleID: r.ID, message: a.Name})
			}
		}
	}
}

// noteSignatures records newly signed documents and roles, and whether the package now
// waits to be completed.
func noteSignatures(before, after *pkg, note func(event)) {
	for _, r := range after.Roles {
		for _, d := range after.Documents {
			if after.signedIn(d, r) && !before.signedIn(d, r) {
				note(event{name: documentSigned, documentID: d.ID, roleID: r.ID})
			}
		}
		if after.signedBy(r.ID, "") && !before.signedBy(r.ID, "") {
			note(event{name: signerCompleted, roleID: r.ID})
		}
	}
	if after.Status == sent && after.signedBy("", "") && !before.signedBy("", "") {
		note(event{name: packageReady})
	}
}

// signedIn reports whether the role has signed the document, or accepted it if it is the
// consent.
func (p *pkg) signedIn(d document, r role) bool {
	present, err := p.document(d.ID)
	if err != nil {
		return false
	}
	if d.ID == consentID {
		by := present.acceptedBy()
		return slices.ContainsFunc(r.Signers, func(s signer) bool { return slices.Contains(by, s.ID) })
	}
	return p.signedBy(r.ID, d.ID)
}

// awaits reports whether it is the role's turn to sign the package.
func (p *pkg) awaits(r role) bool {
	return p.Status == sent && !p.Trashed && len(r.Signers) > 0 && !p.signedBy(r.ID, "") && p.turnOf(r) &&
		(r.Type == roleSigner || p.hasApprovals(r.ID))
}

// awaitedAlike reports whether the package already waited for the role's same people.
func (p *pkg) awaitedAlike(r role) bool {
	i := slices.IndexFunc(p.Roles, func(one role) bool { return one.ID == r.ID })
	return i >= 0 && p.awaits(p.Roles[i]) &&
		slices.EqualFunc(p.Roles[i].Signers, r.Signers, func(a, b signer) bool { return a.Email == b.Email })
}

// lastMessage returns the newest message after the first known ones, or "".
func (p *pkg) lastMessage(known int) string {
	if len(p.Messages) <= known {
		return ""
	}
	return p.Messages[len(p.Messages)-1].Content
}
