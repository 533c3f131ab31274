package templates

import (
	"io"
	"time"

	"countersign/internal/i18n"
)

// VerificationsPath begins the paths of the pages of identity verification.
const VerificationsPath = "/verifications"

// Verifications is "/verifications": those that the person started, the newest first.
type Verifications struct {
	Common
	// Done says which of the two tabs it is.
	Done  bool
	Items []VerificationItem
	// MayStart says that the person may start one.
	MayStart bool
	// Previous and Next lead to the neighbouring parts of the list; "" where there is none.
	Previous, Next string
}

// VerificationItem is one of a list.
type VerificationItem struct {
	ID      string
	Created time.Time
	// Status is the platform's; Result is Passed, Failed or anything else for unknown.
	Status, Result string
	// ErasureAt is when it is erased; zero for never.
	ErasureAt time.Time
}

// NewVerification is "/verifications/new". Its form posts multipart there, with
// once, self, first_name, last_name, email, phone, dob, country and the file document.
type NewVerification struct {
	Common
	// Typed is what was typed, and Wrong what is wrong with it, by field.
	Typed, Wrong map[string]string
	Countries    []i18n.Country
	// Once tells this form from every other, so that it starts one verification.
	Once string
}

// Verification is "/verifications/{id}". Its forms post urlencoded there:
//
//	action=cancel
//	action=audit-trail
//	action=erase        days
//	action=take-back
//
// What is dangerous opens by GET: ?ask=cancel, ?ask=erase.
type Verification struct {
	Common
	VerificationItem
	// Stage is what its person did last, as the events tell it.
	Stage string
	// Of is whom it is about.
	Of     string
	Active bool
	Steps  []Step
	Checks []Check
	// Documents are the ids of what belongs to it.
	Documents []string
	// MayContinue and MayErase say what the person may do beside the rest.
	MayContinue, MayErase bool
	// TrailAsked says that an audit trail was asked for, TrailReady that it is there.
	TrailAsked, TrailReady bool
	// Asking is the question that is open: cancel, erase or "".
	Asking string
	// Days is what was typed, and WrongDays what is wrong with it.
	Days, WrongDays string
}

// TrailAwaited reports whether the audit trail is being made.
func (v Verification) TrailAwaited() bool { return v.TrailAsked && !v.TrailReady }

// Step is something that happened. A zero time is not known.
type Step struct {
	Trigger string
	At      time.Time
}

// Check is one part of the verification.
type Check struct {
	// Type is document_id or document_with_face.
	Type   string
	Passed bool
}

var stateIDs = map[string]string{
	"completed": "page.verification.completed",
	"cancelled": "page.verification.cancelled",
	"expired":   "page.verification.expired",
	"error":     "page.verification.error",
}

// StateID is the message that names the state; every state that may change is one.
func (i VerificationItem) StateID() string {
	if id, ok := stateIDs[i.Status]; ok {
		return id
	}
	return "page.verification.in-progress"
}

// ResultID is the message that names the result; "" while there is none.
func (i VerificationItem) ResultID() string {
	switch {
	case i.Status != "completed":
	case i.Result == "Passed":
		return "page.verification.passed"
	case i.Result == "Failed":
		return "page.verification.failed"
	}
	return ""
}

var stepIDs = map[string]string{
	"transaction_created":             "page.verification.step-started",
	"document_selected":               "page.verification.step-chosen",
	"verification_doc_id":             "page.verification.step-document",
	"verification_document_with_face": "page.verification.step-selfie",
	"consent_accepted":                "page.verification.step-agreed",
	"transaction_completed":           "page.verification.completed",
	"transaction_cancelled":           "page.verification.cancelled",
	"transaction_expired":             "page.verification.expired",
	"transaction_error":               "page.verification.error",
	"audit_trail_generated":           "page.verification.step-trail",
}

// TextID is the message that names the step; "" for one that no word is known for.
func (s Step) TextID() string { return stepIDs[s.Trigger] }

// NameID is the message that names the check.
func (c Check) NameID() string {
	if c.Type == "document_with_face" {
		return "page.verification.check-selfie"
	}
	return "page.verification.check-document"
}

// ResultID is the message that names what came of it, WhyID the one that says what that
// means.
func (c Check) ResultID() string {
	if c.Passed {
		return "page.verification.passed"
	}
	return "page.verification.failed"
}

// WhyID is the message that says what came of the check in plain words.
func (c Check) WhyID() string {
	switch {
	case c.Type == "document_with_face" && c.Passed:
		return "page.verification.selfie-passed"
	case c.Type == "document_with_face":
		return "page.verification.selfie-failed"
	case c.Passed:
		return "page.verification.document-passed"
	}
	return "page.verification.document-failed"
}

// Said is what is said when the state has changed.
func (v view) Said(i VerificationItem) string {
	if id := i.ResultID(); id != "" {
		return v.T(i.StateID()) + " · " + v.T(id)
	}
	return v.T(i.StateID())
}

// Verifications writes "/verifications".
func (p *Pages) Verifications(w io.Writer, page Verifications) error {
	return p.write(w, "verifications", page.Common, page)
}

// NewVerification writes "/verifications/new".
func (p *Pages) NewVerification(w io.Writer, page NewVerification) error {
	return p.write(w, "verification-new", page.Common, page)
}

// Verification writes "/verifications/{id}".
func (p *Pages) Verification(w io.Writer, page Verification) error {
	return p.write(w, "verification", page.Common, page)
}
