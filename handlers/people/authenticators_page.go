package people

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/templates"
)

var authenticatorsTemplate = page.For[authenticatorsView]("authenticators")

// authenticatorsView is "/authenticators". Its forms post urlencoded there:
//
//	action=rename      id, name, changed ("yes" from the form that names a new one:
//	                   the offer to end other sessions is still to be made then)
//	action=remove      id, confirm ("yes", or "last" for the last way to sign in)
//	action=end-others
//
// The row in question opens by GET: ?rename={id}, ?remove={id}; a remove that
// comes without confirm should be led to ?remove={id}. The script leads to
// ?added={place} after a registration.
type authenticatorsView struct {
	templates.Common
	Authenticators []authenticatorRow
	// StepUp says that the sign-in is too old to add an authenticator.
	StepUp bool
	// Added is the ID of the authenticator just registered, to be named; Place is the
	// query's added: "device", "phone" or "key".
	Added, Place string
	// Renaming and Removing are the IDs of the open rows.
	Renaming, Removing string
	// Typed is the text that the open row's name field shows again after a Problem.
	Typed string
	// Changed says that an authenticator was just added or removed; if OtherSessions is
	// above zero, the page offers to end those.
	Changed       bool
	OtherSessions int
	// Next is the signing page that asks for a passkey, to go on to; or "".
	Next string
}

// Href returns the path of the page as it is without open rows.
func (v authenticatorsView) Href() string { return page.AuthenticatorsPath(v.Next, "", "") }

// SignIn returns the path of the sign-in that leads back to the page.
func (v authenticatorsView) SignIn() string {
	return "/login?" + url.Values{"next": {v.Href()}}.Encode()
}

// JustAdded returns the authenticator to be named, or nil.
func (v authenticatorsView) JustAdded() *authenticatorRow {
	i := slices.IndexFunc(v.Authenticators, func(a authenticatorRow) bool { return a.ID == v.Added })
	if i < 0 {
		return nil
	}
	return &v.Authenticators[i]
}

// RenamesOne reports whether an authenticator's row is open for renaming.
func (v authenticatorsView) RenamesOne() bool {
	return slices.ContainsFunc(v.Authenticators, func(a authenticatorRow) bool { return a.ID == v.Renaming && a.ID != v.Removing })
}

// SavedID returns the message id that says where the new passkey is.
func (v authenticatorsView) SavedID() string {
	switch v.Place {
	case "device":
		return "page.authenticators.saved-device"
	case "phone":
		return "page.authenticators.saved-phone"
	case "key":
		return "page.authenticators.saved-key"
	}
	return "page.authenticators.saved"
}

// Only reports whether there is only one authenticator.
func (v authenticatorsView) Only() bool { return len(v.Authenticators) == 1 }

// AuthenticatorsPage lists a person's authenticators, to be renamed and removed.
type AuthenticatorsPage struct {
	Renderer       page.Renderer
	Authenticators Authenticators
	Account        Account
}

// Routes returns the addresses of the page.
func (p AuthenticatorsPage) Routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/authenticators", Serve: p.get},
		{Method: http.MethodPost, Path: "/authenticators", Serve: p.post},
	}
}

// get answers GET /authenticators. An older sign-in is renewed before the person is asked
// whether to remove an authenticator, so that the answer counts.
func (p AuthenticatorsPage) get(c *gin.Context) error {
	if id := c.Query("remove"); id != "" && p.Authenticators.StepUp.Needed(c) {
		return signInFirst(c, page.AuthenticatorsPath(page.SigningPath(c.Query("next")), "remove", id))
	}
	return p.show(c, http.StatusOK, nil)
}

// post answers POST /authenticators: rename, remove, end-others.
func (p AuthenticatorsPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	if !slices.Contains([]string{"rename", "remove", "end-others"}, c.PostForm("action")) {
		return payload.Violation("/action", "field.choice")
	}
	id, next := c.PostForm("id"), page.SigningPath(c.PostForm("next"))
	removal := page.AuthenticatorsPath(next, "remove", id)
	if c.PostForm("action") == "remove" && c.PostForm("confirm") == "" {
		return page.SeeOther(c, removal, "")
	}
	notice, err := p.act(c, id)
	switch {
	case fault.Is(err, fault.SessionStepUp):
		return signInFirst(c, removal)
	case err != nil:
		return p.show(c, 0, err)
	}
	changed := ""
	if notice == page.NoticeRenamed && c.PostForm("changed") != "" {
		changed = "yes"
	}
	return page.SeeOther(c, page.AuthenticatorsPath(next, "changed", changed), notice)
}

// signInFirst leads to the sign-in, and from there to path.
func signInFirst(c *gin.Context, path string) error {
	return page.SeeOther(c, "/login?"+url.Values{"next": {path}}.Encode(), "")
}

// act carries out the form's action, and returns the notice to show.
func (p AuthenticatorsPage) act(c *gin.Context, id string) (templates.Notice, error) {
	switch c.PostForm("action") {
	case "rename":
		return page.NoticeRenamed, p.Authenticators.rename(c, request.From(c).Person, id, c.PostForm("name"))
	case "remove":
		_, err := p.Authenticators.remove(c, id, c.PostForm("confirm") == "last")
		return page.NoticeRemoved, err
	}
	return page.NoticeSessionsEnded, p.Account.endOthers(c)
}

// show shows the list, with the problem of a form's error, if any.
func (p AuthenticatorsPage) show(c *gin.Context, status int, cause error) error {
	v := authenticatorsView{
		Common:   page.Common(c),
		StepUp:   p.Authenticators.StepUp.Needed(c),
		Place:    c.Query("added"),
		Renaming: c.Query("rename"),
		Removing: c.Query("remove"),
		Next:     page.SigningPath(cmp.Or(c.Query("next"), c.PostForm("next"))),
	}
	var err error
	if cause != nil {
		if status, err = p.refuse(c, &v, cause); err != nil {
			return err
		}
	}
	if v.Authenticators, err = p.list(c); err != nil {
		return err
	}
	if v.Place != "" {
		v.Added = newest(v.Authenticators)
	}
	if err = p.offerEnding(c, &v); err != nil {
		return err
	}
	return authenticatorsTemplate.Show(c, p.Renderer, status, v)
}

// offerEnding offers, after a change, to end the person's other sessions.
func (p AuthenticatorsPage) offerEnding(c *gin.Context, v *authenticatorsView) error {
	v.Changed = v.Added != "" || v.Notice == page.NoticeRemoved || c.Query("changed") != "" || c.PostForm("changed") != ""
	if !v.Changed {
		return nil
	}
	list, err := p.Account.Sessions.List(c.Request.Context(), v.Person.ID)
	v.OtherSessions = max(0, len(list)-1)
	return err
}

// refuse shows on the page the problem of its form, which stays open as it was submitted,
// and returns the page's status.
func (p AuthenticatorsPage) refuse(c *gin.Context, v *authenticatorsView, cause error) (status int, err error) {
	if v.Problem, status, err = p.Renderer.Problem(c, cause); err != nil {
		return 0, err
	}
	v.Problem.Again = page.PostedFields(c, "action", "id", "name", "confirm", "changed", "next")
	switch c.PostForm("action") {
	case "rename":
		v.Renaming, v.Typed = c.PostForm("id"), c.PostForm("name")
	case "remove":
		v.Removing = c.PostForm("id")
	}
	return status, nil
}

func (p AuthenticatorsPage) list(c *gin.Context) ([]authenticatorRow, error) {
	person, err := request.RequirePerson(c)
	if err != nil {
		return nil, err
	}
	list, err := p.Authenticators.list(c, person.ID)
	if err != nil {
		return nil, err
	}
	only := len(list) == 1 && onlyAuthenticators(request.From(c).Session.Methods())
	out := make([]authenticatorRow, 0, len(list))
	for _, a := range list {
		out = append(out, authenticatorRowOf(a, only))
	}
	return out, nil
}

// newest returns the id of the authenticator that was registered last.
func newest(list []authenticatorRow) string {
	if len(list) == 0 {
		return ""
	}
	return slices.MaxFunc(list, func(a, b authenticatorRow) int { return a.CreatedAt.Compare(b.CreatedAt) }).ID
}
