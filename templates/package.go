package templates

import (
	"time"

	"countersign/internal/safetext"
)

// Package is "/packages/{id}". Its forms post urlencoded there:
//
//	action=remind
//	action=cancel  reason
//	action=copy, template or use    once
//
// Without a status only the question is shown, because the package cannot be read at
// present. Dangerous actions open by GET: ?ask=cancel. ?from=signing names the result of
// signing. ?zoom is one of Zooms.
type Package struct {
	Common
	PackageItem
	Description string
	Completed   time.Time
	Documents   []PackageDocument
	// Zoom is the width of the pages in percent.
	Zoom int
	// Drawn tells one state of what the pages show from another.
	Drawn string
	// WhyEnded is the reason why somebody declined the package or took it back; "" if
	// there is none, or none for the reader.
	WhyEnded string
	// Requests are the files that signers are asked for, Archive is the path of all files
	// in one; "" if there are none.
	Requests []PackageRequest
	Archive  string
	// Reminded are the people whom a reminder goes to.
	Reminded []string
	// HasEvidence says that somebody has signed.
	HasEvidence bool
	// PhoneAddress is the page's address for the reader's phone; "" if there is nothing to
	// sign now.
	PhoneAddress string
	// Stands has one entry for each signature for which a proof is asked.
	Stands []SignatureEvidence
	// Finished says that all have signed, Active that the signers can sign.
	Finished, Active bool
	// Revision grows with every change; 0 if the page does not wait for changes.
	Revision int64
	// The person's rights.
	MayEdit, MayRemind, MayCancel, MayCopy, MayDelete, MayAudit bool
	// Once tells one press of the buttons that make another package from the next, so that
	// each makes one.
	Once string
	// Asking is the open question: cancel or "".
	Asking string
	// Reason is the typed reason, and WrongReason its error.
	Reason, WrongReason string
	// Ticket identifies the person whom the page is shown to, for a form sent after the
	// session ended.
	Ticket string
}

// PackageRequest is a file that a signer is asked for.
type PackageRequest struct {
	// Of is the signer's name; "" if the reader is the signer.
	Of                string
	Name, Description string
	Required          bool
	Files             []PackageFile
}

// PackageFile is a file that a signer has attached.
type PackageFile struct {
	Name, Path string
	// Check says whether the platform has looked into the file, and Reason is its code of why
	// not, or "".
	Check  FileCheck
	Reason string
}

// FileCheck says what became of the check of a file; zero says nothing.
type FileCheck int

// What became of the check of a file.
const (
	FileChecked FileCheck = iota + 1
	FileNotChecked
	FileCheckFails
)

var fileCheckIDs = map[FileCheck]string{
	FileChecked: "page.package.file-checked", FileNotChecked: "page.package.file-not-checked", FileCheckFails: "page.package.file-check-failed",
}

// PackageAudit is "/packages/{id}/audit".
type PackageAudit struct {
	Common
	ID, Name string
	Events   []AuditEvent
}

// Href returns the path of the package's page.
func (p PackageAudit) Href() string { return PackageItem{ID: p.ID}.Href() }

// AuditEvent is an entry of the audit trail; unknown members are empty.
type AuditEvent struct {
	// Type is the platform's name of the event (docs/platform.md S19).
	Type                          string
	At                            time.Time
	Target, User, Email, IP, Data string
}

var auditIDs = map[string]string{
	"Accept":                        "page.package-audit.accepted",
	"Click To Sign":                 "page.package-audit.signed",
	"Click To Initial":              "page.package-audit.initialled",
	"Capture Signature":             "page.package-audit.drawn",
	"Confirm":                       "page.package-audit.confirmed",
	"Download":                      "page.package-audit.downloaded",
	"Download Zip":                  "page.package-audit.downloaded",
	"Form Field":                    "page.package-audit.filled",
	"Login":                         "page.package-audit.identified",
	"View":                          "page.package-audit.viewed",
	"Opt Out":                       "page.package-audit.refused",
	"Signing Session For Recipient": "page.package-audit.opened",
	"Decline":                       "page.package-audit.declined",
}

// What returns the name of the event, or the platform's own name if we have none.
func (v View) What(e AuditEvent) string {
	if id, ok := auditIDs[e.Type]; ok {
		return v.T(id)
	}
	return safetext.Isolate(e.Type)
}

// WhyOverID returns the message id that says that nobody can sign any more, or "" if
// people can.
func (p Package) WhyOverID() string {
	switch p.State {
	case PackageDeclined, PackageRefused, PackageExpired:
		return "page.package.over"
	}
	return ""
}

// Asks reports whether the page asks whether to cancel the package, which may be cancelled.
func (p Package) Asks() bool { return p.Asking == "cancel" && p.MayCancel }

// Checked returns the words for what became of the check of a file.
func (v View) Checked(check FileCheck) string {
	id, known := fileCheckIDs[check]
	if !known {
		return ""
	}
	return v.T(id)
}

// OnlyDocument returns the path of the document, if there is one alone; else "".
func (p Package) OnlyDocument() string {
	if len(p.Documents) != 1 {
		return ""
	}
	return p.Documents[0].Path
}

// namesInSight is how many names of those whom a reminder goes to are said.
const namesInSight = 2

// Reminds returns the sentence that says whom a reminder goes to, by name if they are few.
func (v View) Reminds(p Package) string {
	if n := len(p.Reminded); n > namesInSight {
		return v.T("page.package.reminds-many", "Count", v.Number(n))
	}
	return v.T("page.package.reminds", "Names", v.printer.List(isolated(p.Reminded)...))
}

// Happened returns the announcement of a change.
func (v View) Happened(p Package) string {
	said := []string{v.StateForReader(p.PackageItem)}
	if p.HasSigned() {
		said = append(said, v.T("page.package.you-signed"))
	}
	for _, one := range p.People {
		if one.State.Signed() {
			said = append(said, safetext.Isolate(one.Name)+" · "+v.T(string(one.State)))
		}
	}
	return v.printer.List(said...)
}
