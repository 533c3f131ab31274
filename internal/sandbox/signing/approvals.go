package signing

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (s *Server) approvalRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createApproval", Method: post, Path: documentPath + "/approvals", Call: s.createApproval},
		{Operation: "updateApprovals", Method: put, Path: documentPath + "/approvals", Call: s.updateApprovals},
		{Operation: "getApprovals", Method: get, Path: documentPath + "/approvals", Call: s.listApprovals},
		{Operation: "getApprovals", Method: get, Path: approvalPath, Call: s.getApproval},
		{Operation: "updateApproval", Method: put, Path: approvalPath, Call: s.updateApproval},
		{Operation: "deleteApproval", Method: del, Path: approvalPath, Call: s.deleteApproval},
		{Operation: "getSignerApprovals", Method: get, Path: packagePath + "/signers/{signer}/approvals", Call: s.ofPackage(s.getSignerApprovals)},
		{Operation: "getSignerApprovals", Method: get, Path: documentPath + "/signers/{signer}/approvals", Call: s.ofPackage(s.getSignerApprovals)},
	}
}

// changeApproval lets act change the path's approval, and returns it.
func (s *Server) changeApproval(r *http.Request, act func(*approval) error) (approval, error) {
	id := r.PathValue("approval")
	d, err := s.changeDocument(r, func(_ *pkg, d *document) error {
		i, err := d.approvalIndex(id)
		if err != nil {
			return err
		}
		return act(&d.Approvals[i])
	})
	if err != nil {
		return approval{}, err
	}
	return d.approval(id)
}

// createApproval adds an approval to a draft's document.
func (s *Server) createApproval(r *http.Request) (any, error) {
	in, err := read[approval](r)
	if err != nil {
		return nil, err
	}
	in.ID = cmp.Or(in.ID, uuid.NewString())
	d, err := s.changeDocument(r, func(_ *pkg, d *document) error {
		d.Approvals = append(d.Approvals, in)
		d.unsign()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d.approval(in.ID)
}

// updateApprovals takes an array, which replaces all approvals of the document.
func (s *Server) updateApprovals(r *http.Request) (any, error) {
	body, err := wire.ReadJSON(r)
	if err != nil {
		return nil, err
	}
	d, err := s.changeDocument(r, func(_ *pkg, d *document) error {
		d.Approvals = nil
		if err := decode(body, &d.Approvals); err != nil {
			return err
		}
		d.unsign()
		return nil
	})
	return d.Approvals, err
}

func (s *Server) listApprovals(r *http.Request) (any, error) {
	_, d, err := s.document(r)
	return d.Approvals, err
}

func (s *Server) getApproval(r *http.Request) (any, error) {
	_, d, err := s.document(r)
	if err != nil {
		return nil, err
	}
	return d.approval(r.PathValue("approval"))
}

// updateApproval changes the members in the body.
func (s *Server) updateApproval(r *http.Request) (any, error) {
	body, err := wire.ReadJSON(r)
	if err != nil {
		return nil, err
	}
	return s.changeApproval(r, func(a *approval) error {
		id, fields := a.ID, a.Fields
		a.Fields = nil
		if err := decode(body, a); err != nil {
			return err
		}
		a.ID, a.Accepted, a.Signed = id, nil, nil
		if a.Fields == nil {
			a.Fields = fields
		}
		return nil
	})
}

func (s *Server) deleteApproval(r *http.Request) (any, error) {
	_, err := s.changeDocument(r, func(_ *pkg, d *document) error {
		i, err := d.approvalIndex(r.PathValue("approval"))
		if err == nil {
			d.Approvals = slices.Delete(d.Approvals, i, i+1)
		}
		return err
	})
	return wire.Empty{}, err
}

// awaits reports whether the role may still sign the approval. An optional one that is
// accepted but not signed was left out.
func (a approval) awaits(roleID string) bool {
	return a.Role == roleID && a.Signed == nil && a.Accepted == nil && !a.Disabled
}

func (d document) approval(id string) (approval, error) {
	i, err := d.approvalIndex(id)
	if err != nil {
		return approval{}, err
	}
	return d.Approvals[i], nil
}

func (d document) approvalIndex(id string) (int, error) {
	i := slices.IndexFunc(d.Approvals, func(a approval) bool { return a.ID == id })
	if i < 0 {
		return 0, unknown("approval")
	}
	return i, nil
}

// getSignerApprovals answers with the approvals of one signer, in the package or in one
// document.
func (s *Server) getSignerApprovals(r *http.Request, p *pkg) (any, error) {
	i, err := p.roleIndex(r.PathValue("signer"))
	if err != nil {
		return nil, unknown("signer")
	}
	documents := p.Documents
	if id := r.PathValue("document"); id != "" {
		j, err := p.documentIndex(id)
		if err != nil {
			return nil, err
		}
		documents = documents[j : j+1]
	}
	found := []approval{}
	for _, d := range documents {
		for _, a := range d.Approvals {
			if a.Role == p.Roles[i].ID {
				found = append(found, a)
			}
		}
	}
	return found, nil
}
