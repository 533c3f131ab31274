package portal

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/signing/compose"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// newPackagePage is the page on which a person prepares and sends a package. Each of its
// buttons stores everything that was typed, valid or not, with the draft at the platform.
type newPackagePage struct{ Packages }

func (p newPackagePage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/packages/new", Serve: p.get},
		{Method: http.MethodGet, Path: "/packages/new/:id", Serve: p.getDraft},
		{Method: http.MethodPost, Path: "/packages/new", Kind: page.Upload, KeepExpired: p.keepExpired, Serve: p.post},
		{Method: http.MethodPost, Path: "/packages/new/:id", Kind: page.Upload, KeepExpired: p.keepExpired, Serve: p.postDraft},
	}
}

// get answers GET /packages/new.
func (p newPackagePage) get(c *gin.Context) error {
	if _, err := p.creator(c); err != nil {
		return err
	}
	return p.show(c, p.undrafted(c, p.Recovery.Restored(c)), nil)
}

// getDraft answers GET /packages/new/{id}.
func (p newPackagePage) getDraft(c *gin.Context) error {
	_, id, err := p.changeable(c)
	if err != nil {
		return err
	}
	typed, newest := p.Recovery.Restored(c), c.Query("newer") != ""
	d, err := p.Drafts.Load(c.Request.Context(), id, compose.LoadOptions{
		Newest: newest || compose.IsFromProgram(typed), Reminders: c.Query("notice") != string(page.NoticePackageSaved), // else they were just saved
	})
	if err != nil {
		return err
	}
	if d.Sent || d.Template {
		return page.SeeOther(c, packagePath(id), "")
	}
	if !newest && d.Outdated(typed) {
		return p.outdated(c, d, typed, nil)
	}
	p.take(c, d, typed)
	return p.show(c, d, nil)
}

// post answers POST /packages/new. A chosen file creates the draft, and so does saving what
// can be saved; any other button shows the changed page.
func (p newPackagePage) post(c *gin.Context) error {
	who, err := p.creator(c)
	if err != nil {
		return err
	}
	sent, err := p.read(c, p.MaxUpload)
	if err != nil {
		return err
	}
	defer sent.files.Close()
	d := p.undrafted(c, sent.typed)
	if len(sent.list) == 0 && !sent.tooLarge {
		if makes, err := p.withoutDraft(c, d, sent.typed["do"]); !makes {
			return err
		}
	}
	sent.typed["message"] = d.Form.Message // as it follows the name by now
	creation := compose.Creation{Owner: who.User, OwnerName: who.Name, Once: cmp.Or(d.Lost, sent.digest), Untitled: p.untitled(c), Form: d.Form}
	return p.Service.WithPackageLock(untilDone(c), who.User+" "+creation.Once, func(ctx context.Context) error {
		id, again, err := p.Drafts.Create(ctx, creation, func(ctx context.Context, mark string, since time.Time) (string, bool, error) {
			return p.Service.FindMade(ctx, who, "createPackage", mark, since)
		})
		if err != nil {
			return p.show(c, &compose.Draft{Form: creation.Form, Lost: creation.Once}, err)
		}
		if !again {
			p.Service.Done(ctx, who, service.Change{Operation: "createPackage", Package: id, Effect: service.Changed, Made: true})
		}
		return p.change(c, who, id, sent)
	})
}

// postDraft answers POST /packages/new/{id}.
func (p newPackagePage) postDraft(c *gin.Context) error {
	who, id, refused := p.changeable(c)
	if refused != nil && !page.Retryable(refused) {
		return refused
	}
	sent, err := p.read(c, p.MaxUpload)
	if err != nil {
		return err
	}
	defer sent.files.Close()
	if refused == nil {
		refused = p.change(c, who, id, sent)
	}
	return p.unsaved(c, id, sent, refused)
}

// untilDone returns the request's context without its end: a browser gives up the request of
// the first press when a button is pressed twice, and the second press finds the work done.
func untilDone(c *gin.Context) context.Context { return context.WithoutCancel(c.Request.Context()) }

// creator returns the person who asks, or an error if they may not create packages.
func (p newPackagePage) creator(c *gin.Context) (access.Actor, error) {
	who, err := p.Actors.Actor(c)
	if err == nil {
		err = p.Service.Creator(who)
	}
	return who, err
}

// change carries out what the sent page asks for, one change of a draft at a time.
func (p newPackagePage) change(c *gin.Context, who access.Actor, id string, sent *sentPage) error {
	return p.Service.WithPackageLock(untilDone(c), id, func(ctx context.Context) error {
		d, err := p.Drafts.Load(ctx, id, compose.LoadOptions{Newest: compose.IsFromProgram(sent.typed), Reminders: compose.ShowsReminders(sent.typed) || sent.typed["do"] == compose.Replace})
		switch {
		case err != nil:
			return err
		case d.Template:
			return fault.New(fault.SigningState)
		case d.Sent && d.Form.Page == sent.typed["once"]:
			return page.SeeOther(c, packagePath(id), page.NoticePackageSent)
		case d.Sent:
			return page.SeeOther(c, packagePath(id), page.NoticePackageSentBefore)
		case d.Outdated(sent.typed):
			return p.changedElsewhere(ctx, c, who, d, sent)
		case d.Form.Done == sent.digest && isSave(sent):
			return page.SeeOther(c, draftPath(id), page.NoticePackageSaved)
		case d.Form.Done == sent.digest:
			return page.SeeOther(c, draftPath(id), "")
		}
		d.Settle(sent.typed)
		d.Form.Page = sent.typed["once"]
		p.take(c, d, sent.typed)
		to, err := p.do(ctx, c, d, sent)
		if err != nil {
			p.Service.Refresh(ctx, who, id) // a part of the change may have been carried out
			return p.show(c, d, err)
		}
		p.Service.Done(ctx, who, service.Change{Operation: "updatePackage", Package: id, Effect: service.Changed, People: d.Form.Addresses()})
		c.Redirect(http.StatusSeeOther, to)
		return nil
	})
}

// changedElsewhere answers a page that shows an older version of the draft. Nothing of it is
// stored but its files.
func (p newPackagePage) changedElsewhere(ctx context.Context, c *gin.Context, who access.Actor, d *compose.Draft, sent *sentPage) error {
	var cause error = fault.New(fault.SigningChanged)
	if len(sent.list) > 0 {
		if err := p.attach(ctx, d, sent); err != nil {
			cause = err
		}
		p.Service.Refresh(ctx, who, d.ID)
		if err := p.Drafts.Keep(ctx, d, p.untitled(c)); err != nil {
			return err
		}
	}
	return p.outdated(c, d, sent.typed, cause)
}

// outdated shows what was typed on a page that shows an older version of the draft.
func (p newPackagePage) outdated(c *gin.Context, d *compose.Draft, typed map[string]string, cause error) error {
	d.Shown = cmp.Or(typed["revision"], strconv.Itoa(d.Form.Revision))
	d.Form.Restore(typed)
	p.take(c, d, typed)
	return p.show(c, d, cause)
}

// attach adds the files that were sent to the draft, up to the first that cannot be; those of
// a page submitted twice once.
func (p newPackagePage) attach(ctx context.Context, d *compose.Draft, sent *sentPage) error {
	if d.Form.Attached == sent.digest {
		return nil
	}
	for _, file := range sent.list {
		if err := p.Drafts.Attach(ctx, d, file.name, file.content); err != nil {
			return err
		}
	}
	d.Form.Attached = sent.digest
	return nil
}

// do carries out the action of a button, and returns the address to continue at.
func (p newPackagePage) do(ctx context.Context, c *gin.Context, d *compose.Draft, sent *sentPage) (to string, err error) {
	untitled := p.untitled(c)
	if sent.tooLarge {
		return "", p.kept(ctx, d, untitled, payload.Violation("files", "field.files-size"))
	}
	if err := p.attach(ctx, d, sent); err != nil {
		return "", p.kept(ctx, d, untitled, err)
	}
	d.Form.FollowName(p.asks)
	if err := p.Drafts.Locate(ctx, d); err != nil {
		return "", p.kept(ctx, d, untitled, err)
	}
	switch sent.typed["do"] {
	case "send":
		if err = p.Drafts.Send(ctx, d); err == nil {
			return packagePath(d.ID) + "?" + url.Values{"notice": {string(page.NoticePackageSent)}}.Encode(), nil
		}
		return "", p.kept(ctx, d, untitled, err)
	case "save", compose.Replace:
		d.Form.Done = sent.digest
		if err = p.Drafts.Save(ctx, d, untitled); err == nil {
			return draftPath(d.ID) + "?" + url.Values{"notice": {string(page.NoticePackageSaved)}}.Encode(), nil
		}
		d.Form.Done = ""
		return "", p.kept(ctx, d, untitled, err)
	case "add-files":
		to = "files"
	default:
		var known bool
		if to, known = d.Form.Step(sent.typed["do"]); !known {
			return "", p.kept(ctx, d, untitled, payload.Violation("/do", "field.choice"))
		}
		d.Form.FollowName(p.asks)
	}
	if err := p.Drafts.Prune(ctx, d); err != nil {
		return "", p.kept(ctx, d, untitled, err)
	}
	d.Form.Done = sent.digest
	if err := p.Drafts.Keep(ctx, d, untitled); err != nil {
		return "", err
	}
	if to != "" {
		to = "#" + to
	}
	return draftPath(d.ID) + to, nil
}

func isSave(sent *sentPage) bool {
	return sent.typed["do"] == "save" || sent.typed["do"] == compose.Replace
}

// kept stores what was typed although err happened, and returns err.
func (p newPackagePage) kept(ctx context.Context, d *compose.Draft, untitled string, err error) error {
	if keeping := p.Drafts.Keep(ctx, d, untitled); keeping != nil {
		return keeping
	}
	return err
}

func (p newPackagePage) untitled(c *gin.Context) string {
	return p.Renderer.Bundle.For(request.From(c).Language).T(untitledID)
}

// words returns the names of the kinds of fields in the package's language or, if it has
// none, in the page's.
func (p newPackagePage) words(c *gin.Context, d *compose.Draft) compose.KindWords {
	words := p.Renderer.Bundle.For(p.Renderer.Bundle.Match(d.Form.Language, request.From(c).Language))
	return func(kind string) string { return words.T(kindIDs[kind]) }
}

// untitledID is the message that names a package without a name.
const untitledID = "page.compose.untitled"

func draftPath(id string) string { return packagesPath + "/new/" + url.PathEscape(id) }

// show shows the form, with the focus on the input or button named. With a cause it also
// shows what went wrong.
func (p newPackagePage) show(c *gin.Context, d *compose.Draft, cause error, focus ...string) error {
	v, status := editorOf(d, p.words(c, d), p.customFields(c, d.Form.Documents)), http.StatusOK
	v.Sending = p.sendingOf(d)
	v.Common, v.Once, v.MaxUpload = page.Common(c), rand.Text(), int(p.MaxUpload>>20)
	v.Lost, v.Ticket, v.Focus = d.Lost, p.Recovery.Ticket(c), strings.Join(focus, "")
	switch {
	case cause != nil:
		var err error
		if v.Problem, v.Wrong, status, err = p.Renderer.FieldProblems(c, cause); err != nil {
			return err
		}
	case d.Shown != "":
		v.Problem = &templates.Problem{Row: fault.Lookup(fault.SigningChanged)}
	}
	v.first = cmp.Or(firstOf(v.names(), v.Wrong), v.Focus)
	return newTemplate.Show(c, p.Renderer, status, v)
}
