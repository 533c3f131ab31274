package portal

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/internal/signing/service"
	"countersign/templates"
)

var deleteTemplate = page.For[deleteView]("package-delete")

// deletePath is the path of the question whether to delete drafts or templates.
const deletePath = "/packages/delete"

// deleteView is the question whether to delete some drafts or templates. Its form posts
// urlencoded to /packages/delete: id, once for each.
type deleteView struct {
	templates.Common
	Items []Item
	// Back is the path of the list that they are in.
	Back string
}

// AskID returns the id of the question.
func (v deleteView) AskID() string {
	if slices.ContainsFunc(v.Items, func(i Item) bool { return !i.Template }) {
		return "page.delete.ask"
	}
	return "page.delete.ask-templates"
}

// Action returns the address of the form: the question itself, to which a sign-in leads back.
func (v deleteView) Action() string {
	query := url.Values{}
	for _, item := range v.Items {
		query.Add("id", item.ID)
	}
	return deletePath + "?" + query.Encode()
}

// deletePackagesPage deletes drafts and templates, after asking once.
type deletePackagesPage struct{ Packages }

func (p deletePackagesPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: deletePath, Serve: p.get},
		{Method: http.MethodPost, Path: deletePath, Serve: p.post},
	}
}

// get answers GET /packages/delete with the question. Where nothing was chosen, the list
// says so.
func (p deletePackagesPage) get(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	if len(c.QueryArray("id")) == 0 {
		return page.SeeOther(c, pathOfList(tabOf(c)), page.NoticeNothingChosen)
	}
	return p.show(c, who, c.QueryArray("id"), nil)
}

// post answers POST /packages/delete.
func (p deletePackagesPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	ids := distinct(c.PostFormArray("id"))
	if len(ids) == 0 {
		return page.SeeOther(c, pathOfList(tabOf(c)), page.NoticeNothingChosen)
	}
	items, err := p.items(c, who, ids)
	if err != nil {
		return err
	}
	back := listOf(items)
	for i, id := range ids {
		if err := p.Service.Delete(c.Request.Context(), who, id); err != nil {
			return p.show(c, who, ids[i:], err)
		}
	}
	return page.SeeOther(c, back, page.NoticePackageDeleted)
}

// distinct returns as many ids as a list shows, each once.
func distinct(ids []string) (all []string) {
	for _, id := range ids {
		if !slices.Contains(all, id) && len(all) < page.PerPage {
			all = append(all, id)
		}
	}
	return all
}

// items returns the drafts and templates with these ids; signing.state for any other
// package.
func (p deletePackagesPage) items(c *gin.Context, who access.Actor, ids []string) (items []Item, err error) {
	for _, id := range ids {
		if _, err := p.Service.GrantToChange(c.Request.Context(), who, id); err != nil {
			return nil, err
		}
		o, err := p.Service.Open(c.Request.Context(), who, id)
		if err != nil {
			return nil, err
		}
		if o.Full.Status != signing.StatusDraft {
			return nil, fault.New(fault.SigningState)
		}
		item := itemOf(o.Visible, o.Grant, service.ProgressOf(o.Full))
		item.Template = o.Full.IsTemplate()
		items = append(items, item)
	}
	return items, nil
}

// listOf returns the path of the list that the items are in.
func listOf(items []Item) string {
	in := tabDrafts
	if len(items) > 0 && items[0].Template {
		in = tabTemplates
	}
	return pathOfList(in)
}

func pathOfList(t tab) string { return listView{Tab: t}.PathFrom(1) }

// show asks the question. With a cause it also shows what went wrong.
func (p deletePackagesPage) show(c *gin.Context, who access.Actor, ids []string, cause error) error {
	items, err := p.items(c, who, distinct(ids))
	if err != nil {
		return err
	}
	v, status := deleteView{Common: page.Common(c), Items: items, Back: listOf(items)}, http.StatusOK
	if cause != nil {
		if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
			return err
		}
	}
	return deleteTemplate.Show(c, p.Renderer, status, v)
}
