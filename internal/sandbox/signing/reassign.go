package signing

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// substitute is the person who signs instead of a signer, as typed.
type substitute struct {
	FirstName, LastName, Email string
	// Wrong holds the errors by input; First is the first input with one.
	Wrong map[string]string
	First string
}

func (v visitor) substitute(form url.Values) *substitute {
	text := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return &substitute{FirstName: text("firstName"), LastName: text("lastName"), Email: text("email"), Wrong: map[string]string{}}
}

// nameInput is an input of the page on which a substitute is named.
type nameInput struct {
	Name, Value, Wrong string
	First              bool
}

// Inputs returns the inputs in order.
func (n *substitute) Inputs() []nameInput {
	all := []nameInput{{Name: "firstName", Value: n.FirstName}, {Name: "lastName", Value: n.LastName}, {Name: "email", Value: n.Email}}
	for i, in := range all {
		all[i].Wrong, all[i].First = n.Wrong[in.Name], n.First == in.Name
	}
	return all
}

// check notes what is missing, and an address that is none.
func (n *substitute) check(p *pkg, said words) bool {
	note := func(name, wrong string) {
		n.Wrong[name] = said[wrong]
		if n.First == "" {
			n.First = name
		}
	}
	if n.FirstName == "" {
		note("firstName", "isRequired")
	}
	if n.LastName == "" {
		note("lastName", "isRequired")
	}
	switch {
	case n.Email == "":
		note("email", "isRequired")
	case !wire.IsEmail(n.Email):
		note("email", "wrongFormat")
	case slices.ContainsFunc(p.Roles, func(r role) bool { return r.hasSigner(n.Email) }):
		note("email", "alreadySigner")
	}
	return n.First == ""
}

// passOn lets a signer who can reassign their role name another person, who is invited in
// their place; the signer's own session ends with it.
func (s *Server) passOn(r *http.Request, p *pkg, who visitor) (any, error) {
	view, to := who.page(p.Name), who.substitute(r.Form)
	if !to.check(p, who.words) {
		view.PassOn, view.Alerts, view.status = to, true, http.StatusUnprocessableEntity
		return view, nil
	}
	_, err := s.change(r, func(p *pkg) error {
		one, err := p.changeableRole(who.roleID)
		if err != nil {
			return err
		}
		if !one.Reassign {
			return wire.Refuse(http.StatusForbidden, "This role cannot be reassigned.").With(messageKey, "error.forbidden.signer.noReassign")
		}
		one.substitute(who.signerID, to)
		return p.mayBeSigned(who.roleID)
	})
	if err != nil {
		return nil, err
	}
	view.Notice, view.Hint = who.words["passedOn"], to.Email
	if s.home != "" { // the package is not theirs any more
		view.Home = s.home + "/packages"
	}
	return view, nil
}

// substitute replaces a signer of the role by another person, who keeps the signer's language
// and time zone.
func (r *role) substitute(signerID string, to *substitute) {
	r.Signers = slices.Clone(r.Signers)
	for i, before := range r.Signers {
		if before.ID == signerID {
			r.Signers[i] = signer{
				ID: uuid.NewString(), FirstName: to.FirstName, LastName: to.LastName, Email: to.Email,
				Language: before.Language, TimezoneID: before.TimezoneID,
			}
		}
	}
}

// noteReassigned records that a signer has passed a role on.
func noteReassigned(before, after *pkg, by actor, note func(event)) {
	i := slices.IndexFunc(before.Roles, func(r role) bool { return r.ID == by.roleID })
	if by.roleID != "" && i >= 0 && before.has(by.party) && !after.has(by.party) {
		note(event{name: roleReassigned, roleID: by.roleID})
	}
}
