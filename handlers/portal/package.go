package portal

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// PackagePage is the page of one package: the progress of its people, its documents, and
// the actions that the person may take.
type PackagePage struct {
	Renderer page.Renderer
	Packages
}

// Show answers GET /packages/{id}.
func (p PackagePage) Show(c *gin.Context) error {
	who, o, err := p.open(c)
	if err != nil {
		return err
	}
	if c.Query("from") == "signing" { // the index may not know yet who has signed
		p.Service.Refresh(c.Request.Context(), who, o.ID)
	}
	return p.show(c, o, who, c.Query("ask"), nil)
}

// Sign answers GET /packages/{id}/sign with a redirect to the platform's signing page or,
// if the person cannot sign now, to the package's page, which says why.
func (p PackagePage) Sign(c *gin.Context) error {
	_, o, err := p.open(c)
	if err != nil {
		return err
	}
	address, err := p.Service.SigningURL(c.Request.Context(), o)
	if err != nil {
		return err
	}
	if address == "" {
		return page.SeeOther(c, packagePath(o.ID), "")
	}
	c.Redirect(http.StatusSeeOther, address)
	return nil
}

// Post answers POST /packages/{id}: remind, cancel, copy.
func (p PackagePage) Post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	who, o, err := p.open(c)
	if err != nil {
		return p.unopened(c, err)
	}
	leads, notice, err := p.act(c, who, o)
	if err != nil {
		return p.show(c, o, who, c.PostForm("action"), err)
	}
	return page.SeeOther(c, leads, notice)
}

// act carries out the action of the form, and returns the address to continue at and the
// notice to show there.
func (p PackagePage) act(c *gin.Context, who access.Actor, o service.Opened) (leads string, done templates.Notice, err error) {
	ctx, path := c.Request.Context(), packagePath(o.ID)
	switch c.PostForm("action") {
	case "remind":
		return path, templates.NoticePackageReminded, p.Service.Remind(ctx, who, o)
	case "cancel":
		return path, templates.NoticePackageCancelled, p.Service.Cancel(ctx, who, o, c.PostForm("reason"))
	case "copy":
		name := p.Renderer.Bundle.For(request.From(c).Language).T("format.copy-of", "Name", o.Full.Name)
		id, err := p.Service.Copy(ctx, who, o, name, c.PostForm("once"))
		if fault.Is(err, fault.RequestIdempotencyBusy) { // the copy will be among the drafts
			return templates.PackagesPath + "?tab=" + string(templates.TabDrafts), templates.NoticePackageCopied, nil
		}
		return draftPath(id), templates.NoticePackageCopied, err
	}
	return "", "", request.Violation("/action", "field.choice")
}

// unopened shows the typed reason for a cancellation again, to be sent once more, if the
// package cannot be read now. It returns any other cause.
func (p PackagePage) unopened(c *gin.Context, cause error) error {
	if c.PostForm("action") != "cancel" || !page.Retryable(cause) {
		return cause
	}
	v := templates.Package{Common: page.Common(c), PackageItem: templates.PackageItem{ID: c.Param("id")}, MayCancel: true, Asking: "cancel", Ticket: p.Left.Ticket(c), Reason: c.PostForm("reason")}
	var status int
	var err error
	if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
		return err
	}
	return p.Renderer.Render(c, status, func(w io.Writer) error { return p.Renderer.Templates.Package(w, v) })
}

// show shows the package. With a cause it also shows what went wrong with the form.
func (p PackagePage) show(c *gin.Context, o service.Opened, who access.Actor, asking string, cause error) error {
	v, status := p.view(c, o, who.Person), http.StatusOK
	v.Asking, v.Ticket, v.Reason = asking, p.Left.Ticket(c), c.PostForm("reason")
	if v.Reason == "" {
		v.Reason = p.Left.RestoredForm(c).Get("reason")
	}
	if v.Active {
		var err error
		if v.Revision, err = p.Service.Revision(c.Request.Context(), o.Full); err != nil {
			return err
		}
	}
	if cause != nil {
		var err error
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
		if fault.Is(cause, fault.RequestInvalid) {
			v.WrongReason = v.Problem.Detail
		}
	}
	return p.Renderer.Render(c, status, func(w io.Writer) error { return p.Renderer.Templates.Package(w, v) })
}

// view returns the package for its page.
func (p PackagePage) view(c *gin.Context, o service.Opened, person access.Person) templates.Package {
	pkg, how := o.Visible, service.ProgressOf(o.Full)
	v := templates.Package{
		Common: page.Common(c), PackageItem: itemOf(pkg, o.Grant, how),
		Description: pkg.Description, Sender: pkg.Sender.Name(), Completed: pkg.Completed.Time,
		Finished: signing.Finished(pkg.Status), Active: pkg.Status == signing.StatusSent,
	}
	v.Signing = signingOf(o, o.Grant, how)
	changes := o.MayChange()
	v.MayRemind, v.MayCancel = changes && v.Active && len(service.Reminded(o.Full)) > 0, changes && v.Active
	if v.MayCancel {
		corrected(pkg, how, v.People)
	}
	v.MayCopy = changes && p.Service.MayCreate(person)
	v.MayEdit = changes && pkg.Status == signing.StatusDraft
	v.MayAudit = changes && pkg.Status != signing.StatusDraft || v.Finished
	for _, d := range pkg.Documents {
		if d.ID != signing.ConsentDocument {
			v.Documents = append(v.Documents, templates.PackageDocument{ID: d.ID, Name: d.Name, Path: documentPath(pkg.ID, d.ID)})
		}
	}
	for _, m := range pkg.Messages {
		v.Messages = append(v.Messages, templates.PackageMessage{From: nameOf(pkg, m.From), Text: m.Content})
	}
	if c.Query("from") == "signing" {
		v.Notice = outcome(v)
	}
	return v
}

// outcome returns the notice for a person who comes back from signing.
func outcome(v templates.Package) templates.Notice {
	own := slices.IndexFunc(v.People, func(p templates.PackagePerson) bool { return p.You })
	switch {
	case own >= 0 && v.People[own].State.Signed():
		return templates.NoticePackageSigned
	case v.Signing == templates.SigningNow:
		return templates.NoticePackageUnsigned
	case v.Status == signing.StatusDeclined:
		return templates.NoticePackageDeclined
	}
	return ""
}

// nameOf returns the name of a message's author. It looks an author whom the platform
// names only by id up among the package's people.
func nameOf(p signing.Package, from signing.Signer) string {
	if from.Name() != "" || from.ID == "" {
		return from.Name()
	}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			if s.ID == from.ID || r.ID == from.ID {
				return s.Name()
			}
		}
	}
	if p.Sender.ID == from.ID {
		return p.Sender.Name()
	}
	return ""
}

// documentPath returns the path of a document's PDF below /api.
func documentPath(id, document string) string {
	return strings.Join([]string{"/api/packages", url.PathEscape(id), "documents", url.PathEscape(document), "pdf"}, "/")
}
