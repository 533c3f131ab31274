package signing

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// substitute is the person who signs instead of a signer, as typed: the first name, the last
// name and the e-mail address.
type substitute [3]nameInput

// nameInput is an input of the page on which a substitute is named.
type nameInput struct {
	Name, Value string
	Wrong       string // what is wrong with it
	First       bool   // of those with an error
}

func substituteOf(form url.Values) *substitute {
	n := substitute{{Name: "firstName"}, {Name: "lastName"}, {Name: "email"}}
	for i := range n {
		n[i].Value = strings.TrimSpace(form.Get(n[i].Name))
	}
	return &n
}

// check notes what is missing, and an address that is none.
func (n *substitute) check(p *pkg, said words) bool {
	fits := true
	for i := range n {
		key, value := "", n[i].Value
		switch {
		case value == "":
			key = "isRequired"
		case n[i].Name != "email":
		case !wire.IsEmail(value):
			key = "wrongFormat"
		case slices.ContainsFunc(p.Roles, func(r role) bool { return r.hasSigner(value) }):
			key = "alreadySigner"
		}
		if key != "" {
			n[i].Wrong, n[i].First, fits = said[key], fits, false
		}
	}
	return fits
}

// passOn lets a signer who can reassign their role name another person, who is invited in
// their place; the signer's own session ends with it.
func (s *Server) passOn(r *http.Request, p *pkg, who visitor) (any, error) {
	view, to := who.page(p.Name), substituteOf(r.Form)
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
	view.Notice, view.Hint = who.words["passedOn"], to[2].Value
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
				ID: uuid.NewString(), FirstName: to[0].Value, LastName: to[1].Value, Email: to[2].Value,
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
