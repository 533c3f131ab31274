package templates

import (
	"net/url"
	"slices"
	"time"

	"countersign/internal/i18n"
)

// VerificationsPath begins the paths of the pages of identity verification.
const VerificationsPath = "/verifications"

// Verifications is "/verifications": the verifications that the person started, the
// newest first.
type Verifications struct {
	Common
	// Done says which of the two tabs is open.
	Done  bool
	Items []VerificationItem
	// First and Last are the numbers of the first and the last item shown, from 1; Count is
	// the number of all.
	First, Last, Count int
	// Erased are those that were erased within the last day.
	Erased []ErasedItem
	// MayStart says that the person may start a verification.
	MayStart bool
	// Previous and Next are the paths of the neighbouring parts of the list, or "".
	Previous, Next string
}

// VerificationItem is an entry of a list of verifications.
type VerificationItem struct {
	ID      string
	Created time.Time
	// Status is the platform's.
	Status string
	State  VerificationState
	// Result is "" before the end, and if it is not known.
	Result VerificationResult
	// ErasureAt is the time of its erasure; zero for never.
	ErasureAt time.Time
	// Of is the name of the verified person; "" if it is unknown.
	Of string
}

// ErasedItem is what is left of an erased verification.
type ErasedItem struct {
	ID string
	At time.Time
}

// NewVerification is "/verifications/new". Its form posts multipart there, with
// once, self, first_name, last_name, email, phone, dob, country and the file document.
type NewVerification struct {
	Common
	// Typed holds the typed values, and Wrong their errors, by field.
	Typed, Wrong map[string]string
	Countries    []i18n.Country
	// Once tells this form from every other, so that it starts one verification.
	Once string
	// Next is the page to go on to after verifying oneself; or "".
	Next string
	// Ticket names the person of the form, should the session end before it is sent, and
	// Mark a form that was kept so, "" for none.
	Ticket, Mark string
}

// Verification is "/verifications/{id}". Its forms post urlencoded there:
//
//	action=cancel
//	action=audit-trail
//	action=erase        days
//	action=take-back
//	action=link
//	action=again        once
//
// What is dangerous opens by GET: ?ask=cancel, ?ask=erase.
type Verification struct {
	Common
	VerificationItem
	// Stage is the person's last step, according to the events.
	Stage string
	// Back is the signing page that the person came from; or "".
	Back   string
	Active bool
	// Self says that it is about its starter.
	Self   bool
	Steps  []Step
	Checks []Check
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
func (v Verification) MayPassOn() bool { return v.MayContinue && !v.Self }

// TrailAwaited reports whether the audit trail is being made.
func (v Verification) TrailAwaited() bool { return v.TrailAsked && !v.TrailReady }

// Before returns the time of the last step that is shown before the i-th; zero without one.
func (v Verification) Before(i int) time.Time {
	for _, s := range slices.Backward(v.Steps[:i]) {
		if s.TextID() != "" && !s.At.IsZero() {
			return s.At
		}
	}
	return time.Time{}
}

// Step is a step of the verification. A zero time is unknown.
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

// VerificationState is the state of a verification.
type VerificationState string

// The states of a verification; all in which it may still change are one.
const (
	VerificationUnderway  VerificationState = "page.verification.in-progress"
	VerificationCompleted VerificationState = "page.verification.completed"
	VerificationCancelled VerificationState = "page.verification.cancelled"
	VerificationExpired   VerificationState = "page.verification.expired"
	VerificationErrored   VerificationState = "page.verification.error"
)

// VerificationResult is the result of a completed verification.
type VerificationResult string

// The results of a verification.
const (
	VerificationPassed VerificationResult = "page.verification.passed" //nolint:gosec // a message id, no password
	VerificationFailed VerificationResult = "page.verification.failed"
)

// StateID returns the message id of the state.
func (i VerificationItem) StateID() string { return string(i.State) }

// ResultID returns the message id of the result, or "" without a result.
func (i VerificationItem) ResultID() string { return string(i.Result) }

// Completed reports whether the person went through the whole verification.
func (i VerificationItem) Completed() bool { return i.State == VerificationCompleted }

// Passed reports whether the verification was completed and passed.
func (i VerificationItem) Passed() bool { return i.Result == VerificationPassed }

// Failed reports whether the verification was completed and failed.
func (i VerificationItem) Failed() bool { return i.Result == VerificationFailed }

// Kind returns passed, failed, active or over: how the state looks.
func (i VerificationItem) Kind() string {
	switch {
	case i.Failed():
		return "failed"
	case i.Passed():
		return "passed"
	case i.State == VerificationUnderway:
		return "active"
	}
	return "over"
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

// TextID returns the message id of the step, or "" for an unknown one.
func (s Step) TextID() string { return stepIDs[s.Trigger] }

// NameID returns the message id of the check's name.
func (c Check) NameID() string {
	if c.Type == "document_with_face" {
		return "page.verification.check-selfie"
	}
	return "page.verification.check-document"
}

// ResultID returns the message id of the check's result; WhyID returns that of its
// meaning.
func (c Check) ResultID() string {
	if c.Passed {
		return "page.verification.passed"
	}
	return "page.verification.failed"
}

// WhyID returns the message id that explains the check's result in plain words.
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

// Said returns the announcement of a changed state.
func (v View) Said(i VerificationItem) string {
	if i.Result != "" {
		return v.T(i.StateID()) + " · " + v.T(i.ResultID())
	}
	return v.T(i.StateID())
}

// CheckOf returns the title of a verification: whom it is about, as far as that is known.
func (v View) CheckOf(i VerificationItem) string {
	if i.Of == "" {
		return v.T("page.verification.title")
	}
	return v.T("page.check.of", "Name", i.Of)
}

// Counts says how long a link counts that lives for lifetime.
func (v View) Counts(lifetime time.Duration) string {
	if lifetime >= time.Hour && lifetime%time.Hour == 0 {
		return v.N("page.check.link-hours", int(lifetime/time.Hour))
	}
	return v.N("page.check.link-minutes", max(1, int(lifetime/time.Minute)))
}

// Live returns the query with which the page is read again where scripts are off.
func (v Verification) Live() string {
	query := url.Values{"live": {"yes"}}
	if v.Back != "" {
		query.Set("next", v.Back)
	}
	return "?" + query.Encode()
}
