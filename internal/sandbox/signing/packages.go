package signing

import (
	"encoding/xml"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/wire"
)

// packageRef names a package.
type packageRef struct {
	ID string `json:"id"`
}

func (s *Server) packageRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "listPackages", Method: get, Path: packagesPath, Call: s.listPackages},
		{Operation: "createPackage", Method: post, Path: packagesPath, Call: s.createPackage, BodyLimit: uploadLimit},
		{Operation: "getPackage", Method: get, Path: packagePath, Call: s.ofPackage(s.getPackage)},
		{Operation: "getSupport", Method: get, Path: "/api/package_information/{package}/support_information", Call: s.ofPackage(s.getSupport)},
		{Operation: "updatePackage", Method: put, Path: packagePath, Call: withBody(s.updatePackage)},
		{Operation: "updatePackage", Method: post, Path: packagePath, Call: withBody(s.updatePackage)},
		{Operation: "deletePackage", Method: del, Path: packagePath, Call: s.deletePackage},
		{Operation: "clonePackage", Method: post, Path: packagePath + "/clone", Call: withBody(s.clonePackage)},
		{Operation: "getSigningStatus", Method: get, Path: packagePath + "/signingStatus", Call: s.ofPackage(s.getSigningStatus)},
		{Operation: "getAudit", Method: get, Path: packagePath + "/audit", Call: s.ofPackage(s.getAudit)},
		{Operation: "getEvidenceSummary", Method: get, Path: packagePath + "/evidence/summary", Call: s.ofPackage(s.getEvidenceSummary)},
	}
}

func (s *Server) listPackages(r *http.Request) (any, error) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	found, window := s.store.list(q)
	if q.idsOnly {
		refs := make([]packageRef, len(window))
		for i, p := range window {
			refs[i].ID = p.ID
		}
		return results(refs, found), nil
	}
	return results(window, found), nil
}

func results[T any](window []T, count int) any {
	return struct {
		Count   int `json:"count"`
		Results []T `json:"results"`
	}{count, list(window)}
}

// createPackage accepts JSON, or multipart with the documents' files.
func (s *Server) createPackage(r *http.Request) (any, error) {
	in, err := readUpload(r)
	if err != nil {
		return nil, err
	}
	now := s.now()
	p := newPackage(now)
	if err := p.merge(in.payload); err != nil {
		return nil, err
	}
	p.Messages = nil
	if err := assign(p.Documents, in.files); err != nil {
		return nil, err
	}
	if err := s.store.admit(p.Documents, nil); err != nil {
		return nil, err
	}
	if err := p.complete(now); err != nil {
		return nil, err
	}
	if err := s.inspect(r.Context(), p.Documents, p.Roles); err != nil {
		return nil, err
	}
	for i := range p.Documents {
		p.keep(&p.Documents[i])
	}
	if err := p.complete(now); err != nil {
		return nil, err
	}
	if wanted := p.Status; wanted != draft {
		p.Status = draft
		if err := p.move(wanted, nil, now); err != nil {
			return nil, err
		}
	}
	s.store.create(p, s.actorOf(r))
	return packageRef{p.ID}, nil
}

// getPackage also returns the package's alerts on request: an empty list.
func (s *Server) getPackage(r *http.Request, p *pkg) (any, error) {
	if !strings.Contains(r.URL.Query().Get("extensions"), "alerts") {
		return p, nil
	}
	return struct {
		pkg
		Alerts []string `json:"alerts"`
	}{*p, []string{}}, nil
}

// getSupport answers with the contact for the package's signers.
func (s *Server) getSupport(*http.Request, *pkg) (any, error) {
	return struct {
		Email string `json:"email"`
		Phone string `json:"phone"`
	}{SenderEmail, "+12025550100"}, nil
}

// updatePackage changes the package itself, but never its roles and documents.
func (s *Server) updatePackage(r *http.Request, body jsontext.Value) (any, error) {
	return empty(s.change(r, func(p *pkg) error {
		before := *p
		if err := p.merge(body); err != nil {
			return err
		}
		wanted, comments := p.Status, p.Messages
		p.Status, p.Roles, p.Documents, p.Messages = before.Status, before.Roles, before.Documents, before.Messages
		if err := p.editable(&before); err != nil || wanted == before.Status {
			return err
		}
		return p.move(wanted, comments, s.now())
	}))
}

func (s *Server) deletePackage(r *http.Request) (any, error) {
	return wire.Empty{}, s.store.remove(r.PathValue("package"), s.actorOf(r))
}

// clonePackage makes a draft of a package, with its roles and documents but without
// signatures. Members of the body replace the package's; a role that the package lacks is
// added. The type is PACKAGE, unless the body asks for a template.
func (s *Server) clonePackage(r *http.Request, body jsontext.Value) (any, error) {
	original, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	now := s.now()
	p := original.unsigned(now)
	roles, documents := p.Roles, p.Documents
	if p.Type == typeTemplate {
		roles = ownerFirst(roles)
	}
	p.Type = typePackage
	if err := p.merge(body); err != nil {
		return nil, err
	}
	p.Status, p.Roles, p.Documents, p.Messages = draft, withRoles(roles, p.Roles), documents, nil
	if err := p.complete(now); err != nil {
		return nil, err
	}
	s.store.create(p, s.actorOf(r))
	return packageRef{p.ID}, nil
}

// unsigned returns a new package with the same content.
func (p *pkg) unsigned(now time.Time) *pkg {
	made := p.clone()
	made.ID, made.Created, made.Updated = packageID(), dateOf(now), dateOf(now)
	made.Completed, made.Due, made.Trashed, made.reminders, made.events = nil, nil, false, nil, nil
	for i := range made.Documents {
		made.Documents[i].unsign()
	}
	made.attached = nil
	for i := range made.Roles {
		made.Roles[i].forgetAttached()
	}
	return made
}

func (s *Server) getSigningStatus(r *http.Request, p *pkg) (any, error) {
	query := r.URL.Query()
	status, err := p.signingStatus(query.Get("signer"), query.Get("document"))
	if err != nil {
		return nil, err
	}
	return struct {
		Status string `json:"status"`
	}{status}, nil
}

// getAudit answers in JSON, or in XML if the request prefers it.
func (s *Server) getAudit(r *http.Request, p *pkg) (any, error) {
	trail := p.audit()
	if !strings.Contains(r.Header.Get("Accept"), "xml") || strings.Contains(r.Header.Get("Accept"), "json") {
		return trail, nil
	}
	text, err := xml.MarshalIndent(trail, "", " ")
	return wire.Raw{Media: "application/xml", Body: append([]byte(xml.Header), text...)}, err
}

// getEvidenceSummary answers with a PDF of all actions with their times, and the
// documents' hashes.
func (s *Server) getEvidenceSummary(r *http.Request, p *pkg) (any, error) {
	return file{name: "evidence summary.pdf", media: "application/pdf", content: pdf.Text(s.evidence(r.Context(), p)...)}, nil
}
