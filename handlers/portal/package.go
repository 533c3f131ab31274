package portal

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/idempotency"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/templates"
)

// PackagePage is one package: where each of its people stands, its documents, and what
// can be done.
type PackagePage struct {
	Renderer page.Renderer
	Packages
	// Once has a form do its work once, however often it is sent.
	Once *idempotency.Store
	// Hint has whoever watches a topic hear of what it is now.
	Hint func(ctx context.Context, topic string) error
}

// opened is a package that is being looked at.
type opened struct {
	id     string
	person access.Person
	grant  index.Grant
	// whole is the platform's package, shown what the person is shown of it.
	whole, shown signing.Package
}

// open reads the package of the path, for whoever is something to it.
func (p Packages) open(c *gin.Context) (o opened, err error) {
	if o.id, o.person, o.grant, err = p.grant(c); err != nil {
		return o, err
	}
	value, err := p.Platform.Package(c.Request.Context(), o.id)
	if err != nil {
		return o, err
	}
	if o.whole, err = signing.ReadPackage(value); err == nil {
		o.shown, err = shown(value, o.person, o.grant)
	}
	return o, err
}

// Show answers GET /packages/{id}.
func (p PackagePage) Show(c *gin.Context) error {
	o, err := p.open(c)
	if err != nil {
		return err
	}
	if isBack := c.Query("from") == "signing"; isBack || o.whole.Status != o.grant.Status {
		p.refresh(c, o.id)
	}
	return p.show(c, o, c.Query("ask"), nil)
}

// Sign answers GET /packages/{id}/sign: it leads to the platform's page, where the person
// signs, or back to where it is said why they cannot.
func (p PackagePage) Sign(c *gin.Context) error {
	o, err := p.open(c)
	if err != nil {
		return err
	}
	role, when := ownSigning(o.whole, o.grant, progressOf(o.whole))
	if when != templates.SigningNow {
		return page.SeeOther(c, packagePath(o.id), "")
	}
	u, err := p.Platform.SigningURL(c.Request.Context(), o.id, role)
	if err != nil {
		return err
	}
	if !p.Sites.Have(u) {
		return fault.Wrap(fault.PlatformFailed, errForeignSite)
	}
	c.Redirect(http.StatusSeeOther, u.String())
	return nil
}

// Post answers POST /packages/{id}: remind, cancel, copy.
func (p PackagePage) Post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	o, err := p.open(c)
	if err != nil {
		return p.unopened(c, err)
	}
	leads, notice, err := p.act(c, o)
	if err != nil {
		return p.show(c, o, c.PostForm("action"), err)
	}
	return page.SeeOther(c, leads, notice)
}

// unopened asks once more for the reason that was typed of a package that cannot be read
// now. Any other error stays one.
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

// show shows the package; with cause, what went wrong with its form.
func (p PackagePage) show(c *gin.Context, o opened, asking string, cause error) error {
	v, status := p.view(c, o), http.StatusOK
	v.Asking, v.Ticket, v.Reason = asking, p.Left.Ticket(c), c.PostForm("reason")
	if v.Reason == "" {
		v.Reason = p.Left.RestoredForm(c).Get("reason")
	}
	if v.Active {
		var err error
		if v.Revision, err = p.revision(c.Request.Context(), o.id, o.whole); err != nil {
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

// view is the package as its page shows it.
func (p PackagePage) view(c *gin.Context, o opened) templates.Package {
	pkg, how := o.shown, progressOf(o.whole)
	v := templates.Package{
		Common: page.Common(c),
		PackageItem: templates.PackageItem{
			ID: pkg.ID, Name: pkg.Name, Status: pkg.Status, Created: pkg.Created.Time, Updated: pkg.Updated.Time, Due: pkg.Due.Time,
			People: people(pkg, o.grant, how),
		},
		Description: pkg.Description, Sender: pkg.Sender.Name(), Completed: pkg.Completed.Time,
		Finished: signing.Finished(pkg.Status), Active: pkg.Status == signing.StatusSent,
	}
	_, v.Signing = ownSigning(o.whole, o.grant, how)
	changes := o.grant.Standing > index.Signer
	v.MayRemind, v.MayCancel = changes && v.Active && len(reminded(o.whole)) > 0, changes && v.Active
	if v.MayCancel {
		corrected(pkg, how, v.People)
	}
	v.MayCopy = changes && p.mayCreate(o.person)
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

// outcome is what is said to whoever comes back from signing.
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

// nameOf is what to call whoever wrote a message: the platform may name them by their id
// alone.
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

// documentPath is where a document is read, below /api.
func documentPath(id, document string) string {
	return strings.Join([]string{"/api/packages", url.PathEscape(id), "documents", url.PathEscape(document), "pdf"}, "/")
}
