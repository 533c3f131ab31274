package signing

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (s *Server) roleRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "listRoles", Method: get, Path: packagePath + "/roles", Call: s.ofPackage(s.listRoles)},
		{Operation: "createRole", Method: post, Path: packagePath + "/roles", Call: withBody(s.createRole)},
		{Operation: "updateRoles", Method: put, Path: packagePath + "/roles", Call: withBody(s.updateRoles)},
		{Operation: "getRole", Method: get, Path: rolePath, Call: s.ofPackage(s.getRole)},
		{Operation: "updateRole", Method: put, Path: rolePath, Call: withBody(s.updateRole)},
		{Operation: "updateRole", Method: post, Path: rolePath, Call: withBody(s.updateRole)},
		{Operation: "deleteRole", Method: del, Path: rolePath, Call: s.deleteRole},
		{Operation: "unlockRole", Method: post, Path: rolePath + "/unlock", Call: s.unlockRole},
	}
}

func (s *Server) listRoles(_ *http.Request, p *pkg) (any, error) {
	return results(p.Roles, len(p.Roles)), nil
}

func (s *Server) getRole(r *http.Request, p *pkg) (any, error) {
	return p.role(r.PathValue("role"))
}

func (s *Server) createRole(r *http.Request, made role) (any, error) {
	made.ID, made.Locked = cmp.Or(made.ID, uuid.NewString()), false
	return s.changeRole(r, made.ID, func(p *pkg) error {
		p.Roles = append(p.Roles, made)
		return nil
	})
}

// updateRole changes the members of a role and its signers that the body names.
func (s *Server) updateRole(r *http.Request, body jsontext.Value) (any, error) {
	return s.changeRole(r, r.PathValue("role"), func(p *pkg) error {
		one, err := p.changeableRole(r.PathValue("role"))
		if err != nil {
			return err
		}
		if err := one.merge(body, s.now()); err != nil || p.Status != sent {
			return err
		}
		p.finish(one.ID, s.now()) // a missing attachment may no longer be required
		return nil
	})
}

// unlockRole lets a signer who has failed to authenticate try again.
func (s *Server) unlockRole(r *http.Request) (any, error) {
	return s.changeRole(r, r.PathValue("role"), func(p *pkg) error {
		one, err := p.changeableRole(r.PathValue("role"))
		if err == nil {
			one.Locked = false
		}
		return err
	})
}

// changeRole lets act change a package and answers with the role of that id.
func (s *Server) changeRole(r *http.Request, id string, act func(*pkg) error) (any, error) {
	p, err := s.changeRoles(r, act)
	if err != nil {
		return nil, err
	}
	return p.role(id)
}

// changeRoles lets act change a package that can still be changed.
func (s *Server) changeRoles(r *http.Request, act func(*pkg) error) (*pkg, error) {
	return s.change(r, func(p *pkg) error {
		if p.Status != draft && p.Status != sent {
			return invalidState("A package that is " + p.Status + " cannot be changed.")
		}
		return act(p)
	})
}

// updateRoles changes the order of signing.
func (s *Server) updateRoles(r *http.Request, order []place) (any, error) {
	p, err := s.changeRoles(r, func(p *pkg) error {
		for _, one := range order {
			changed, err := p.changeableRole(one.ID)
			if err != nil {
				return err
			}
			changed.Index = one.Index
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.listRoles(r, p)
}

// deleteRole deletes a role and its approvals: the SDKs cannot read an approval without a
// role. The path names a role or a signer (specification, part 4.1).
func (s *Server) deleteRole(r *http.Request) (any, error) {
	return empty(s.changeRoles(r, func(p *pkg) error {
		one, err := p.changeableRole(r.PathValue("role"))
		if err != nil {
			return err
		}
		gone := one.ID
		p.Roles = slices.DeleteFunc(p.Roles, func(r role) bool { return r.ID == gone })
		for i := range p.Documents {
			d := &p.Documents[i]
			d.Approvals = slices.DeleteFunc(d.Approvals, func(a approval) bool { return a.Role == gone })
		}
		return nil
	}))
}

// changeableRole finds a role that has signed nothing.
func (p *pkg) changeableRole(id string) (*role, error) {
	r, err := p.role(id)
	if err != nil {
		return nil, err
	}
	for _, d := range p.Documents {
		if slices.ContainsFunc(d.Approvals, func(a approval) bool { return a.Role == r.ID && a.Signed != nil }) {
			return nil, invalidState("A role that has signed cannot be changed.")
		}
	}
	return r, nil
}

// ownerFirst moves the sender's role to the front, where the SDKs expect it in packages
// made from a template.
func ownerFirst(roles []role) []role {
	others := slices.DeleteFunc(slices.Clone(roles), func(r role) bool { return r.Type == roleSender })
	return append(slices.DeleteFunc(roles, func(r role) bool { return r.Type != roleSender }), others...)
}

// withRoles merges a request's roles into a template's: one that stands for a role of the
// template, by its id, its signer's e-mail address or as the sender's, replaces it under
// the template's id, and the others are added.
func withRoles(template, given []role) []role {
	for _, one := range given {
		i := slices.IndexFunc(template, func(r role) bool { return r.standsFor(one) })
		if i < 0 {
			template = append(template, one)
			continue
		}
		one.ID, one.Type = template[i].ID, template[i].Type
		template[i] = one
	}
	return template
}

func (r role) standsFor(other role) bool {
	sameSigner := slices.ContainsFunc(other.Signers, func(s signer) bool { return s.Email != "" && r.hasSigner(s.Email) })
	return other.ID != "" && r.ID == other.ID || sameSigner || r.Type == roleSender && other.Type == roleSender
}
