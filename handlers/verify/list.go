package verify

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/templates"
)

var listTemplate = page.For[templates.Verifications]("verifications")

// verificationsPage lists the identity verifications that a person started.
type verificationsPage struct{ Verifications }

func (p verificationsPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/verifications", Serve: p.get},
	}
}

// get answers GET /verifications.
func (p verificationsPage) get(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	v := templates.Verifications{Common: page.Common(c), Done: c.Query("tab") == "done", MayStart: p.Service.MayStart(who.Person) == nil}
	from := page.FirstItem(c)
	q := index.Query{Status: index.Underway, From: from, To: from + page.PerPage - 1}
	if v.Done {
		q.Status = index.Over
	}
	found, err := p.Service.List(c.Request.Context(), who, q)
	if err != nil {
		return err
	}
	if from > found.Count && found.Count > 0 { // it has become shorter
		return page.SeeOther(c, listPath(v.Done, page.LastPage(found.Count)), "")
	}
	for _, item := range found.Results {
		v.Items = append(v.Items, verificationItem(item))
	}
	if v.Done && from == 1 {
		erased, err := p.Service.Erased(c.Request.Context(), who)
		if err != nil {
			return err
		}
		for _, one := range erased {
			v.Erased = append(v.Erased, templates.ErasedItem(one))
		}
	}
	v.First, v.Last, v.Count = from, from+len(v.Items)-1, found.Count
	v.Previous, v.Next = page.Neighbors(from, found.Count, func(from int) string { return listPath(v.Done, from) })
	return listTemplate.Show(c, p.Renderer, http.StatusOK, v)
}

func listPath(done bool, from int) string {
	query := url.Values{"from": {strconv.Itoa(from)}}
	if done {
		query.Set("tab", "done")
	}
	return templates.VerificationsPath + "?" + query.Encode()
}

// setState sets the state of v, and its result if it is completed.
func setState(v *templates.VerificationItem, status verification.Status, result string) {
	v.Status, v.Result = string(status), ""
	switch status {
	case verification.Completed:
		v.State, v.Result = templates.VerificationCompleted, results[result]
	case verification.Cancelled:
		v.State = templates.VerificationCancelled
	case verification.Expired:
		v.State = templates.VerificationExpired
	case verification.Errored:
		v.State = templates.VerificationErrored
	default:
		v.State = templates.VerificationUnderway
	}
}

var results = map[string]templates.VerificationResult{
	verification.Passed: templates.VerificationPassed,
	verification.Failed: templates.VerificationFailed,
}

// verificationItem returns an item of the index for a page.
func verificationItem(item index.Item) templates.VerificationItem {
	v := templates.VerificationItem{ID: item.ID, Created: item.Created, Of: item.Of}
	setState(&v, verification.Status(item.Status), item.Result)
	if item.ErasureAt != nil {
		v.ErasureAt = *item.ErasureAt
	}
	return v
}
