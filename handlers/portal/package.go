package portal

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/signing"
	"countersign/internal/signing/service"
	"countersign/templates"
)

var packageTemplate = page.For[packageView]("package")

// packagePage is the page of one package: the progress of its people, its documents, and
// the actions that the person may take.
type packagePage struct{ Packages }

func (p packagePage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/:id", Serve: p.get},
		{Method: http.MethodPost, Path: "/packages/:id", KeepExpired: p.Recovery.KeepExpired, Serve: p.post},
		{Method: http.MethodGet, Path: "/packages/:id/audit", Serve: p.audit},
	}
}

// get answers GET /packages/{id}.
func (p packagePage) get(c *gin.Context) error {
	who, o, err := p.open(c)
	if err != nil {
		return err
	}
	if c.Query("from") == "signing" { // the index may not know yet who has signed
		p.Service.Refresh(c.Request.Context(), who, o.ID)
	}
	return p.show(c, o, who, c.Query("ask"), nil)
}

// post answers POST /packages/{id}: remind, cancel, copy, save as a template, use one.
func (p packagePage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	who, o, err := p.open(c)
	if err != nil {
		return p.unopened(c, err)
	}
	leads, notice, err := p.act(c, who, o)
	if err != nil {
		who.Changing = false // nothing was changed, and the package is shown
		who.Reads("getPackage", o.ID, o.Grant.Owner)
		return p.show(c, o, who, c.PostForm("action"), err)
	}
	return page.SeeOther(c, leads, notice)
}

// act carries out the action of the form, and returns the address to continue at and the
// notice to show there.
func (p packagePage) act(c *gin.Context, who access.Actor, o service.Opened) (leads string, done templates.Notice, err error) {
	ctx, path := c.Request.Context(), packagePath(o.ID)
	switch c.PostForm("action") {
	case "remind":
		return path, page.NoticePackageReminded, p.Service.Remind(ctx, who, o, c.PostForm("press"))
	case "cancel":
		return path, page.NoticePackageCancelled, p.Service.Cancel(ctx, who, o, c.PostForm("reason"), c.PostForm("press"))
	case "copy", "use", "template":
		return p.make(c, who, o)
	}
	return "", "", payload.Violation("/action", "field.choice")
}

// make carries out the actions that make a package or a template of this one.
func (p packagePage) make(c *gin.Context, who access.Actor, o service.Opened) (leads string, done templates.Notice, err error) {
	as := service.Another{Name: o.Full.Name, Message: p.keptMessage(o.Full), Once: c.PostForm("once")}
	var id string
	in, done := tabDrafts, page.NoticePackageCopied
	switch c.PostForm("action") {
	case "copy":
		as.Name = p.Renderer.Bundle.For(request.From(c).Language).Plain("format.copy-of", "Name", o.Full.Name)
		id, err = p.Service.Copy(c.Request.Context(), who, o, as)
	case "use":
		id, err = p.Service.Use(c.Request.Context(), who, o, as)
	default:
		if namesSigner(o.Full, as.Message) {
			as.Message = ""
		}
		in, done = tabTemplates, page.NoticeTemplateSaved
		id, err = p.Service.SaveTemplate(c.Request.Context(), who, o, as)
	}
	if fault.Is(err, fault.RequestIdempotencyBusy) { // it will be in the list
		id, err = "", nil
	}
	if err == nil && id != "" {
		p.once(c).Spend()
	}
	if id == "" || in == tabTemplates {
		return packagesPath + "?tab=" + string(in), done, err
	}
	return draftPath(id), done, err
}

// keptMessage returns the message that a copy takes from a package: one that somebody
// wrote. The sentence that asks for signatures follows the copy's own name.
func (p packagePage) keptMessage(o signing.Package) string {
	const anybody = "\x00"
	words := p.Renderer.Bundle.For(o.Language)
	before, after, _ := strings.Cut(words.Plain("format.asks", "Asker", anybody, "Name", safetext.Line(o.Name)), anybody)
	if len(o.Message) > len(before)+len(after) && strings.HasPrefix(o.Message, before) && strings.HasSuffix(o.Message, after) {
		return ""
	}
	return o.Message
}

// namesSigner reports whether a text names a signer of the package.
func namesSigner(o signing.Package, text string) bool {
	return slices.ContainsFunc(o.Roles, func(r signing.Role) bool {
		return r.Type != signing.RoleSender && slices.ContainsFunc(r.Signers, func(s signing.Signer) bool {
			return signing.Names(text, s.FirstName, s.LastName, s.Email)
		})
	})
}

// unopened shows the typed reason for a cancellation again, to be sent once more, if the
// package cannot be read now. It returns any other cause.
func (p packagePage) unopened(c *gin.Context, cause error) error {
	if c.PostForm("action") != "cancel" || !page.Retryable(cause) {
		return cause
	}
	v := packageView{Common: page.Common(c), Item: Item{ID: c.Param("id")}, MayCancel: true, Asking: "cancel", Ticket: p.Recovery.Ticket(c), Reason: c.PostForm("reason")}
	var status int
	var err error
	if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
		return err
	}
	return packageTemplate.Show(c, p.Renderer, status, v)
}

// show shows the package. With a cause it also shows what went wrong with the form.
func (p packagePage) show(c *gin.Context, o service.Opened, who access.Actor, asking string, cause error) error {
	checks, err := p.Service.FileChecks(c.Request.Context(), o.Full)
	who.LogFailure("read the checks of attached files", err) // the files are shown without them
	v, status := p.view(c, o, who), http.StatusOK
	times, err := p.Service.TrashTimes(c.Request.Context(), o.ID)
	who.LogFailure("ask when the package goes to the trash", err) // it is shown without the time
	v.TrashAt = times[o.ID]
	v.Requests, v.Archive = requestsOf(o, checks)
	v.Asking, v.Ticket, v.Reason = asking, p.Recovery.Ticket(c), c.PostForm("reason")
	if v.Reason == "" {
		v.Reason = p.Recovery.RestoredForm(c).Get("reason")
	}
	if v.MayCopy {
		v.Once = p.once(c).After(cause, c.PostForm("once"))
	}
	if v.Active {
		if v.Revision, err = p.Service.Revision(c.Request.Context(), o.Full, checks); err != nil {
			return err
		}
	}
	if cause != nil {
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		if fault.Is(cause, fault.RequestInvalid) {
			v.WrongReason = v.Problem.Detail
		}
	}
	return packageTemplate.Show(c, p.Renderer, status, v)
}
