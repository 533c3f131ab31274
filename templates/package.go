package templates

import (
	"io"
	"time"
)

// Package is "/packages/{id}". Its forms post urlencoded there:
//
//	action=remind
//	action=cancel  reason
//	action=copy    once
//
// Without a status nothing but the question is shown: the package cannot be read now.
// What is dangerous opens by GET: ?ask=cancel. ?from=signing says how signing ended.
type Package struct {
	Common
	PackageItem
	Description string
	// Sender is whose package it is.
	Sender    string
	Completed time.Time
	Documents []PackageDocument
	Messages  []PackageMessage
	// Finished says that all have signed, Active that it is with its signers.
	Finished, Active bool
	// Revision is a greater number whenever something has changed; 0 where nothing is
	// waited for.
	Revision int64
	// What the person may do.
	MayEdit, MayRemind, MayCancel, MayCopy, MayAudit bool
	// Asking is the question that is open: cancel or "".
	Asking string
	// Reason is what was typed, and WrongReason what is wrong with it.
	Reason, WrongReason string
	// Ticket is whose page it is, for what they send when they are signed out.
	Ticket string
}

// PackageDocument is one of its documents; Path is where its PDF is.
type PackageDocument struct{ ID, Name, Path string }

// PackageMessage is what somebody wrote, such as why they declined. From may be "".
type PackageMessage struct{ From, Text string }

// PackageAudit is "/packages/{id}/audit".
type PackageAudit struct {
	Common
	ID, Name string
	Events   []AuditEvent
}

// Href is where the package's page is.
func (p PackageAudit) Href() string { return PackageItem{ID: p.ID}.Href() }

// AuditEvent is something that happened; what is not known is empty.
type AuditEvent struct {
	// Type is the platform's word for it.
	Type                          string
	At                            time.Time
	Target, User, Email, IP, Data string
}

var auditIDs = map[string]string{
	"Package Create":             "page.package-audit.created",
	"Package Activate":           "page.package-audit.sent",
	"Package Deactivate":         "page.package-audit.taken-back",
	"Package Ready For Complete": "page.package-audit.ready",
	"Package Complete":           "page.package-audit.completed",
	"Package Archive":            "page.package-audit.archived",
	"Package Restore":            "page.package-audit.restored",
	"Package Decline":            "page.package-audit.declined",
	"Package Opt Out":            "page.package-audit.refused",
	"Package Expire":             "page.package-audit.expired",
	"Package Attachment":         "page.package-audit.attached",
	"Document Signed":            "page.package-audit.signed",
	"Document Viewed":            "page.package-audit.viewed",
	"Signer Complete":            "page.package-audit.signer-done",
	"Role Invite":                "page.package-audit.invited",
	"Role Remind":                "page.package-audit.reminded",
}

// What is the word for what happened; the platform's own where we have none.
func (v view) What(e AuditEvent) string {
	if id, ok := auditIDs[e.Type]; ok {
		return v.T(id)
	}
	return e.Type
}

var whyOverIDs = map[string]string{
	"DECLINED":  "page.package.why-declined",
	"OPTED_OUT": "page.package.why-refused",
	"EXPIRED":   "page.package.why-expired",
}

// WhyOverID is the message that says why nobody signs any more; "" where that is not so.
func (p Package) WhyOverID() string { return whyOverIDs[p.Status] }

// Happened is what is said when something has changed.
func (v view) Happened(p Package) string {
	said := []string{v.T("page.package.title")}
	if id := p.StateID(); id != "" {
		said[0] = v.T(id)
	}
	for _, one := range p.People {
		if one.State.Signed() {
			said = append(said, one.Name+" · "+v.T(string(one.State)))
		}
	}
	return v.printer.List(said...)
}

// Package writes "/packages/{id}".
func (p *Pages) Package(w io.Writer, page Package) error {
	return p.write(w, "package", page.Common, page)
}

// PackageAudit writes "/packages/{id}/audit".
func (p *Pages) PackageAudit(w io.Writer, page PackageAudit) error {
	return p.write(w, "package-audit", page.Common, page)
}
