package templates

import (
	"cmp"
	"net/http"

	"countersign/internal/fault"
)

// ProblemTitle returns the heading of the problem.
func (v View) ProblemTitle() string {
	if v.Problem == nil {
		return ""
	}
	if v.Problem.Row.Key == fault.RequestInvalid {
		return v.T("page.problem.invalid")
	}
	return v.T(v.Problem.Row.TitleID())
}

// ProblemDetail returns the sentences that say what happened, what to do, and how long to
// wait.
func (v View) ProblemDetail() string {
	if v.Problem == nil {
		return ""
	}
	if v.Problem.Row.Key == fault.RequestInvalid {
		return cmp.Or(v.Problem.Detail, v.T("page.problem.marked"))
	}
	row := v.Problem.Row
	sentences := []string{v.Problem.Detail, v.Advice(row, Seconds(v.Problem.RetryAfter))}
	if sentences[0] == "" {
		sentences[0] = v.T(row.MessageID())
	}
	if v.unchecked(row) {
		sentences[0] = v.printer.Join(sentences[0], v.T("page.login.not-checked"))
	}
	return v.printer.Join(sentences...)
}

// unchecked reports whether an outage left a password unchecked.
func (v View) unchecked(row fault.Row) bool {
	return v.asksPassword() && (row.Key == fault.PlatformFailed || row.Key == fault.PlatformUnavailable)
}

// asksPassword reports whether the page asks for the password of a known person.
func (v View) asksPassword() bool {
	p, ok := v.Page.(interface{ AsksPassword() bool })
	return ok && p.AsksPassword()
}

// briefly is the wait, in seconds, that nobody needs to count.
const briefly = 10

// Advice returns the sentence that says what to do about an error, and in how many
// seconds, if that is known; not for a short outage, after which the next press works.
func (v View) Advice(row fault.Row, wait int) string {
	switch {
	case wait == 0 || wait <= briefly && row.Status >= http.StatusInternalServerError:
		return v.next(row)
	case row.Action == fault.ActionRetry:
		return v.N("page.error.wait", wait)
	}
	return v.printer.Join(v.next(row), v.N("page.error.wait", wait))
}

// next returns the sentence that says what to do about an error, in the form of the page.
func (v View) next(row fault.Row) string {
	if v.asksPassword() && v.Wrong() {
		return v.T("page.login.check")
	}
	return v.T(row.NextID())
}

// ProblemRequest returns the number to quote when asking about the problem; none where
// nothing went wrong but a person has to choose or to type something else.
func (v View) ProblemRequest() string {
	if v.Problem == nil || v.Problem.Row.Key == fault.SigningChanged || v.Wrong() {
		return ""
	}
	return v.RequestID
}

// Wrong reports whether the typed text is at fault; a right password that has expired is
// not.
func (v View) Wrong() bool {
	if v.Problem == nil {
		return false
	}
	row := v.Problem.Row
	return row.Key == fault.RequestInvalid || row.Key == fault.SignInRefused && row.Action == fault.ActionSignIn
}

// Saying returns the beginning of the page's title, which a screen reader reads first:
// the problem, or the notice.
func (v View) Saying() string {
	if id := v.NoticeID(); id != "" && v.Problem == nil {
		return v.T(id)
	}
	return v.ProblemTitle()
}
