package signing

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

// visibility lists the roles that see each document. A document that it does not name is
// visible to all.
type visibility struct {
	Configurations []visibleDocument `json:"configurations"`
}

type visibleDocument struct {
	DocumentUID string   `json:"documentUid"`
	RoleUIDs    []string `json:"roleUids"`
}

func (s *Server) visibilityRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getVisibility", Method: get, Path: packagePath + "/documents/visibility", Call: s.ofPackage(s.getVisibility)},
		{Operation: "setVisibility", Method: post, Path: packagePath + "/documents/visibility", Call: withBody(s.setVisibility)},
	}
}

func (s *Server) getVisibility(_ *http.Request, p *pkg) (any, error) {
	return visibility{Configurations: list(p.visibility.Configurations)}, nil
}

func (s *Server) setVisibility(r *http.Request, in visibility) (any, error) {
	p, err := s.changeDocuments(r, func(p *pkg) error {
		for i := range in.Configurations {
			one := &in.Configurations[i]
			one.RoleUIDs = list(one.RoleUIDs)
			if _, err := p.document(one.DocumentUID); err != nil {
				return err
			}
			for _, id := range one.RoleUIDs {
				if !slices.ContainsFunc(p.Roles, func(r role) bool { return r.ID == id }) {
					return unknown("role")
				}
			}
		}
		p.visibility = in
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.getVisibility(r, p)
}

// visibleTo reports whether the role sees the document. The sender's role sees all.
func (p *pkg) visibleTo(roleID, documentID string) bool {
	i := slices.IndexFunc(p.visibility.Configurations, func(one visibleDocument) bool { return one.DocumentUID == documentID })
	return i < 0 || p.roleNamed(roleID).Type == roleSender || slices.Contains(p.visibility.Configurations[i].RoleUIDs, roleID)
}

// readsDocument admits a signer's session to the documents that its role sees.
func (s *Server) readsDocument(r *http.Request) bool {
	a, p, ok := s.session(r)
	return ok && p.visibleTo(a.roleID, r.PathValue("document"))
}
