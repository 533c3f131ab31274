package verify

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/verification"
	"countersign/internal/verification/index"
	"countersign/templates"
)

var listTemplate = page.For[listView]("verifications")

// verificationsPath begins the paths of the pages of identity verification.
const verificationsPath = "/verifications"

// listView is "/verifications": the verifications that the person started, the newest
// first.
type listView struct {
	templates.Common
	// Done says which of the two tabs is open.
	Done  bool
	Items []item
	// First and Last are the numbers of the first and the last item shown, from 1; Count is
	// the number of all.
	First, Last, Count int
	// Erased are those that were erased within the last day.
	Erased []index.ErasedCheck
	// MayStart says that the person may start a verification.
	MayStart bool
	// Previous and Next are the paths of the neighbouring parts of the list, or "".
	Previous, Next string
}

// item is an entry of a list of verifications.
type item struct {
	ID      string
	Created time.Time
	// Status is the platform's.
	Status string
	// StateID is the message of the state, ResultID the message of the result: "" before the
	// end, and if the result is not known.
	StateID, ResultID string
	// ErasureAt is the time of its erasure; zero for never.
	ErasureAt time.Time
	// Of is the name of the verified person; "" if it is unknown.
	Of string
}

// The messages of results, and of the states that have a specific meaning here.
const (
	underwayID  = "page.verification.in-progress"
	completedID = "page.verification.completed"
	passedID    = "page.verification.passed" //nolint:gosec // a message id, no password
	failedID    = "page.verification.failed"
)

// stateIDs are the messages of the states in which a verification cannot change any more.
var stateIDs = map[verification.Status]string{
	verification.Completed: completedID,
	verification.Cancelled: "page.verification.cancelled",
	verification.Expired:   "page.verification.expired",
	verification.Errored:   "page.verification.error",
}

var resultIDs = map[string]string{verification.Passed: passedID, verification.Failed: failedID}

// setState sets the state of i, and its result if it is completed.
func (i *item) setState(status verification.Status, result string) {
	i.Status, i.StateID, i.ResultID = string(status), cmp.Or(stateIDs[status], underwayID), ""
	if status == verification.Completed {
		i.ResultID = resultIDs[result]
	}
}

// Completed reports whether the person went through the whole verification.
func (i item) Completed() bool { return i.StateID == completedID }

// Passed reports whether the verification was completed and passed.
func (i item) Passed() bool { return i.ResultID == passedID }

// Kind returns passed, failed, active or over: how the state looks.
func (i item) Kind() string {
	switch {
	case i.ResultID == failedID:
		return "failed"
	case i.Passed():
		return "passed"
	case i.StateID == underwayID:
		return "active"
	}
	return "over"
}

// Said returns the announcement of a changed state.
func (i item) Said(v templates.View) string {
	if i.ResultID != "" {
		return v.T(i.StateID) + " · " + v.T(i.ResultID)
	}
	return v.T(i.StateID)
}

// Title returns the title of a verification: its subject, as far as that is known.
func (i item) Title(v templates.View) string {
	if i.Of == "" {
		return v.T("page.verification.title")
	}
	return v.T("page.check.of", "Name", i.Of)
}

// itemOf returns an item of the index for a page.
func itemOf(of index.Item) item {
	i := item{ID: of.ID, Created: of.Created, Of: of.Of}
	i.setState(verification.Status(of.Status), of.Result)
	if of.ErasureAt != nil {
		i.ErasureAt = *of.ErasureAt
	}
	return i
}

// verificationsPage lists the identity verifications that a person started.
type verificationsPage struct{ Verifications }

func (p verificationsPage) routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: verificationsPath, Serve: p.get},
	}
}

// get answers GET /verifications.
func (p verificationsPage) get(c *gin.Context) error {
	who, err := p.Actors.Actor(c)
	if err != nil {
		return err
	}
	v := listView{Common: page.Common(c), Done: c.Query("tab") == "done", MayStart: p.Service.MayStart(who.Person) == nil}
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
		v.Items = append(v.Items, itemOf(item))
	}
	if v.Done && from == 1 {
		if v.Erased, err = p.Service.Erased(c.Request.Context(), who); err != nil {
			return err
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
	return verificationsPath + "?" + query.Encode()
}
