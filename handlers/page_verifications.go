package handlers

import (
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/templates"
)

// VerificationsPage lists the identity verifications that a person started.
type VerificationsPage struct {
	Renderer Renderer
	Verifications
}

// perPage is how many a page lists.
const perPage = 20

// Show answers GET /verifications.
func (p VerificationsPage) Show(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	v := templates.Verifications{Common: common(c), Done: c.Query("tab") == "done", MayStart: p.Service.MayStart(who.Person) == nil}
	from := firstOf(c)
	q := access.TransactionQuery{Status: access.Underway, From: from, To: from + perPage - 1}
	if v.Done {
		q.Status = access.Over
	}
	page, err := p.Service.List(c.Request.Context(), who, q)
	if err != nil {
		return err
	}
	for _, item := range page.Results {
		v.Items = append(v.Items, verificationItem(item))
	}
	v.Previous, v.Next = beside(from, page.Count, func(from int) string { return listPath(v.Done, from) })
	return p.Renderer.page(c, http.StatusOK, func(w io.Writer) error { return p.Renderer.Templates.Verifications(w, v) })
}

func listPath(done bool, from int) string {
	query := url.Values{"from": {strconv.Itoa(from)}}
	if done {
		query.Set("tab", "done")
	}
	return templates.VerificationsPath + "?" + query.Encode()
}

// verificationItem is an item of the index, for a page.
func verificationItem(item access.TransactionItem) templates.VerificationItem {
	v := templates.VerificationItem{ID: item.ID, Created: item.Created, Status: item.Status, Result: item.Result}
	if item.ErasureAt != nil {
		v.ErasureAt = *item.ErasureAt
	}
	return v
}
