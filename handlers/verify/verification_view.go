package verify

import (
	"net/url"
	"slices"
	"time"

	"countersign/internal/verification"
	"countersign/internal/verification/service"
	"countersign/templates"
)

// verificationView is "/verifications/{id}". Its forms post urlencoded there:
//
//	action=cancel
//	action=audit-trail
//	action=erase        days
//	action=take-back
//	action=link
//	action=again        once
//
// What is dangerous opens by GET: ?ask=cancel, ?ask=erase.
type verificationView struct {
	templates.Common
	item
	// Stage is the person's last step, according to the events.
	Stage string
	// Back is the signing page that the person came from; or "".
	Back   string
	Active bool
	// Self says that it is about its starter.
	Self   bool
	Steps  []verification.Event
	Checks []check
	// Documents are the ids of its documents.
	Documents []string
	// MayContinue and MayErase are further rights of the person.
	MayContinue, MayErase bool
	// TrailAsked says that an audit trail was requested, TrailReady that it exists.
	TrailAsked, TrailReady bool
	// Asking is the open question: cancel, erase or "".
	Asking string
	// MayTryAgain says that the person may start a new one with the same person, and Once
	// tells this page's form from every other.
	MayTryAgain bool
	Once        string
	// Link is a link to pass on that was just made, and LinkUntil the time until which it
	// counts; "" if none was. LinkLifetime is the time for which any link counts.
	Link         string
	LinkUntil    time.Time
	LinkLifetime time.Duration
	// PhoneAddress is the page's address for the person's phone; "" if there is nothing to
	// do there.
	PhoneAddress string
	// Days is the typed number, and WrongDays its error.
	Days, WrongDays string
}

// MayPassOn reports whether the person may make a link to pass on.
func (v verificationView) MayPassOn() bool { return v.MayContinue && !v.Self }

// TrailAwaited reports whether the audit trail is being made.
func (v verificationView) TrailAwaited() bool { return v.TrailAsked && !v.TrailReady }

// LinkCounts says how long a link counts.
func (v verificationView) LinkCounts(words templates.View) string {
	if v.LinkLifetime >= time.Hour && v.LinkLifetime%time.Hour == 0 {
		return words.N("page.check.link-hours", int(v.LinkLifetime/time.Hour))
	}
	return words.N("page.check.link-minutes", max(1, int(v.LinkLifetime/time.Minute)))
}

// Live returns the query with which the page is read again where scripts are off.
func (v verificationView) Live() string {
	query := url.Values{"live": {"yes"}}
	if v.Back != "" {
		query.Set("next", v.Back)
	}
	return "?" + query.Encode()
}

// StepID returns the message id of a step, or "" for an unknown one.
func (verificationView) StepID(trigger string) string { return stepIDs[trigger] }

var stepIDs = map[string]string{
	"transaction_created":             "page.verification.step-started",
	"document_selected":               "page.verification.step-chosen",
	"verification_doc_id":             "page.verification.step-document",
	"verification_document_with_face": "page.verification.step-selfie",
	"consent_accepted":                "page.verification.step-agreed",
	"transaction_completed":           completedID,
	"transaction_cancelled":           "page.verification.cancelled",
	"transaction_expired":             "page.verification.expired",
	"transaction_error":               "page.verification.error",
	"audit_trail_generated":           "page.verification.step-trail",
}

// Before returns the time of the last step that is shown before the i-th; zero without one.
func (v verificationView) Before(i int) time.Time {
	for _, s := range slices.Backward(v.Steps[:i]) {
		if stepIDs[s.Trigger] != "" && !s.At.IsZero() {
			return s.At
		}
	}
	return time.Time{}
}

// check is one part of the verification.
type check struct {
	// Type is document_id or document_with_face.
	Type   string
	Passed bool
}

func (c check) isSelfie() bool { return c.Type == "document_with_face" }

// NameID returns the message id of the check's name.
func (c check) NameID() string {
	if c.isSelfie() {
		return "page.verification.check-selfie"
	}
	return "page.verification.check-document"
}

// ResultID returns the message id of the check's result.
func (c check) ResultID() string {
	if c.Passed {
		return passedID
	}
	return failedID
}

// WhyID returns the message id that explains the check's result in plain words.
func (c check) WhyID() string {
	switch {
	case c.isSelfie() && c.Passed:
		return "page.verification.selfie-passed"
	case c.isSelfie():
		return "page.verification.selfie-failed"
	case c.Passed:
		return "page.verification.document-passed"
	}
	return "page.verification.document-failed"
}

// viewOf returns a verification for its page.
func viewOf(d service.Details) verificationView {
	v := verificationView{
		item: itemOf(d.Item), Stage: d.Stage, Active: d.Status.Active(), Self: d.Self,
		MayContinue: d.Status.Active() && d.MayPlay, MayErase: d.MayErase, TrailAsked: d.TrailAsked, TrailReady: d.TrailReady,
	}
	v.setState(d.Status, d.Item.Result)
	v.Of = d.Subject()
	v.Steps = append(v.Steps, verification.Event{Trigger: verification.TriggerCreated, At: v.Created})
	for _, e := range d.Events() {
		if e.Trigger != verification.TriggerCreated {
			v.Steps = append(v.Steps, e)
		}
	}
	for _, one := range d.Verifications {
		v.Checks = append(v.Checks, check{Type: one.Type, Passed: d.Succeeded(one.ID)})
	}
	for _, document := range d.Documents {
		v.Documents = append(v.Documents, document.ID)
	}
	return v
}
