package signing

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

func (s *Server) approvalRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createApproval", Method: post, Path: documentPath + "/approvals", Call: withBody(s.createApproval)},
		{Operation: "updateApprovals", Method: put, Path: documentPath + "/approvals", Call: withBody(s.updateApprovals)},
		{Operation: "getApprovals", Method: get, Path: documentPath + "/approvals", Call: s.ofDocument(s.listApprovals)},
		{Operation: "getApprovals", Method: get, Path: approvalPath, Call: s.ofDocument(s.getApproval)},
		{Operation: "updateApproval", Method: put, Path: approvalPath, Call: withBody(s.updateApproval)},
		{Operation: "deleteApproval", Method: del, Path: approvalPath, Call: s.deleteApproval},
		{Operation: "getSignerApprovals", Method: get, Path: packagePath + "/signers/{signer}/approvals", Call: s.ofPackage(s.getSignerApprovals)},
		{Operation: "getSignerApprovals", Method: get, Path: documentPath + "/signers/{signer}/approvals", Call: s.ofDocument(s.getSignerApprovalsOf)},
	}
}

// changeApproval lets act change the path's approval, and returns it.
func (s *Server) changeApproval(r *http.Request, act func(*approval) error) (*approval, error) {
	id := r.PathValue("approval")
	d, err := s.changeDocument(r, func(_ *pkg, d *document) error {
		a, err := d.approval(id)
		if err != nil {
			return err
		}
		return act(a)
	})
	if err != nil {
		return nil, err
	}
	return d.approval(id)
}

// createApproval adds an approval to a draft's document.
func (s *Server) createApproval(r *http.Request, in approval) (any, error) {
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
func (s *Server) updateApprovals(r *http.Request, in []approval) (any, error) {
	d, err := s.changeDocument(r, func(_ *pkg, d *document) error {
		d.Approvals = in
		d.unsign()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d.Approvals, nil
}

func (s *Server) listApprovals(_ *http.Request, _ *pkg, d *document) (any, error) {
	return d.Approvals, nil
}

func (s *Server) getApproval(r *http.Request, _ *pkg, d *document) (any, error) {
	return d.approval(r.PathValue("approval"))
}

// updateApproval changes the members in the body.
func (s *Server) updateApproval(r *http.Request, body jsontext.Value) (any, error) {
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
	return empty(s.changeDocument(r, func(_ *pkg, d *document) error {
		gone, err := d.approval(r.PathValue("approval"))
		if err == nil {
			id := gone.ID
			d.Approvals = slices.DeleteFunc(d.Approvals, func(a approval) bool { return a.ID == id })
		}
		return err
	}))
}

// awaits reports whether the role may still sign the approval. An optional one that is
// accepted but not signed was left out.
func (a approval) awaits(roleID string) bool {
	return a.Role == roleID && a.Signed == nil && a.Accepted == nil && !a.Disabled
}

// getSignerApprovals answers with the approvals of one signer in the package.
func (s *Server) getSignerApprovals(r *http.Request, p *pkg) (any, error) {
	return p.approvalsOf(r.PathValue("signer"), p.Documents)
}

// getSignerApprovalsOf answers with those in one document.
func (s *Server) getSignerApprovalsOf(r *http.Request, p *pkg, d *document) (any, error) {
	return p.approvalsOf(r.PathValue("signer"), []document{*d})
}

func (p *pkg) approvalsOf(signerID string, documents []document) (any, error) {
	r, err := p.role(signerID)
	if err != nil {
		return nil, unknown("signer")
	}
	found := []approval{}
	for _, d := range documents {
		for _, a := range d.Approvals {
			if a.Role == r.ID {
				found = append(found, a)
			}
		}
	}
	return found, nil
}
