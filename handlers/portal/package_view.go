package portal

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// packageView is "/packages/{id}". Its forms post urlencoded there:
//
//	action=remind
//	action=cancel  reason
//	action=copy, template or use    once
//
// Without a status only the question is shown, because the package cannot be read at
// present. Dangerous actions open by GET: ?ask=cancel. ?from=signing names the result of
// signing. ?zoom is one of zooms.
type packageView struct {
	templates.Common
	Item
	Description string
	Completed   time.Time
	Documents   []documentRow
	// Zoom is the width of the pages in percent.
	Zoom int
	// Drawn tells one state of what the pages show from another.
	Drawn string
	// WhyEnded is the reason why somebody declined the package or took it back; "" if
	// there is none, or none for the reader.
	WhyEnded string
	// Requests are the files that signers are asked for, Archive is the path of all files
	// in one; "" if there are none.
	Requests []requestRow
	Archive  string
	// Reminded are the people who get a reminder.
	Reminded []string
	// HasEvidence says that somebody has signed.
	HasEvidence bool
	// PhoneAddress is the page's address for the reader's phone; "" if there is nothing to
	// sign now.
	PhoneAddress string
	// Stands has one entry for each signature for which a proof is asked.
	Stands []evidence
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
	// Ticket identifies the person who is shown the page, for a form sent after the
	// session ended.
	Ticket string
}

// WhyOverID returns the message id that says that nobody can sign any more, or "" if
// people can.
func (p packageView) WhyOverID() string {
	switch p.Status {
	case signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired:
		return "page.package.over"
	}
	return ""
}

// Asks reports whether the page asks whether to cancel the package, which may be cancelled.
func (p packageView) Asks() bool { return p.Asking == "cancel" && p.MayCancel }

// OnlyDocument returns the path of the document, if there is one alone; else "".
func (p packageView) OnlyDocument() string {
	if len(p.Documents) != 1 {
		return ""
	}
	return p.Documents[0].Path
}

// namesInSight is how many names of those who get a reminder are said.
const namesInSight = 2

// Reminds returns the sentence that says who gets a reminder, by name if they are few.
func (p packageView) Reminds(v templates.View) string {
	if n := len(p.Reminded); n > namesInSight {
		return v.T("page.package.reminds-many", "Count", v.Number(n))
	}
	return v.T("page.package.reminds", "Names", v.List(isolated(p.Reminded)...))
}

// Happened returns the announcement of a change.
func (p packageView) Happened(v templates.View) string {
	said := []string{p.StateForReader(v)}
	if p.HasSigned() {
		said = append(said, v.T("page.package.you-signed"))
	}
	for _, one := range p.People {
		if one.Signed() {
			said = append(said, safetext.Isolate(one.Name)+" · "+v.T(one.StateID))
		}
	}
	return v.List(said...)
}

// isolated returns texts by people for a list of them.
func isolated(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = safetext.Isolate(text)
	}
	return out
}

// view returns the package for its page.
func (p packagePage) view(c *gin.Context, o service.Opened, who access.Actor) packageView {
	pkg, how := o.Visible, service.ProgressOf(o.Full)
	v := packageView{
		Common: page.Common(c), Item: itemOf(pkg, o.Grant, how),
		Description: pkg.Description, Completed: pkg.Completed.Time,
		Finished: signing.Finished(pkg.Status), Active: pkg.Status == signing.StatusSent,
		Zoom: zoomFor(c.Query("zoom")), Drawn: drawnState(o),
	}
	v.Sender = senderOf(o, who.Person)
	v.Signing, v.HasEvidence = signingOf(o, o.Grant, how), hasEvidence(o.Full)
	if v.Signing == signsNow {
		v.PhoneAddress = p.Origin + packagePath(o.ID)
	}
	v.Stands = p.requirements(c, o)
	changes := o.MayChange()
	v.MayCancel, v.MayRemind = changes && v.Active, changes && v.Active && len(service.Reminded(o.Full)) > 0
	if v.MayCancel {
		corrected(pkg, how, v.People)
	}
	v.MayCopy = changes && p.Service.MayCreate(who.Person)
	v.MayEdit = changes && pkg.Status == signing.StatusDraft
	v.MayDelete = v.MayEdit
	v.MayAudit = changes && pkg.Status != signing.StatusDraft || v.Finished
	v.Ended, v.WhyEnded = endedOf(o, who.Person)
	fillProgress(&v, o, how)
	v.Documents = p.documents(c, who, o)
	v.Notice = holding(v, c.Query("from") == "signing")
	return v
}

// holding returns the page's notice; none if it holds no longer. After signing it says how
// that ended.
func holding(v packageView, signed bool) templates.Notice {
	switch {
	case signed:
		return outcome(v)
	case v.Notice == page.NoticePackageReminded && !v.MayRemind,
		v.Notice == page.NoticePackageCancelled && !v.Ended.Cancelled,
		v.Notice == page.NoticePackageSent && !v.Active,
		v.Notice == page.NoticeCorrected && !v.Active:
		return ""
	}
	return v.Notice
}

// outcome returns the notice for a person who comes back from signing.
func outcome(v packageView) templates.Notice {
	own := slices.IndexFunc(v.People, func(s signerRow) bool { return s.You })
	switch {
	case own >= 0 && v.People[own].Signed():
		return page.NoticePackageSigned
	case v.Signing == signsNow:
		return page.NoticePackageUnsigned
	case v.Status == signing.StatusDeclined:
		return page.NoticePackageDeclined
	}
	return ""
}

// documentPath returns the path of a document's PDF below /api.
func documentPath(id, document string) string {
	return strings.Join([]string{"/api/packages", url.PathEscape(id), "documents", url.PathEscape(document), "pdf"}, "/")
}
