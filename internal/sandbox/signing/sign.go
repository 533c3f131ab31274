package signing

import (
	"net/http"
	"slices"
	"time"

	"countersign/internal/sandbox/wire"
)

// signedDocuments is the payload of signing by REST: the documents with their fields'
// values.
type signedDocuments struct {
	Documents []document `json:"documents"`
}

func (s *Server) signRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "signDocuments", Method: post, Path: packagePath + "/documents/signed_documents", Call: withBody(s.signDocuments), Admits: s.reads},
		{Operation: "confirmDocument", Method: post, Path: packagePath + "/documents/signConfirm", Call: withBody(s.confirmDocument), Admits: s.reads},
	}
}

// signDocuments signs several documents, confirmDocument one (docs/platform.md S21):
// for the signer whose session the request carries, else for the sender.
func (s *Server) signDocuments(r *http.Request, in signedDocuments) (any, error) {
	return wire.Empty{}, s.sign(r, in.Documents...)
}

func (s *Server) confirmDocument(r *http.Request, in document) (any, error) {
	return wire.Empty{}, s.sign(r, in)
}

func (s *Server) sign(r *http.Request, documents ...document) error {
	now := s.now()
	_, err := s.change(r, func(p *pkg) error {
		who, err := s.signingParty(r, p)
		if err != nil {
			return err
		}
		if err := p.mayBeSigned(who.roleID); err != nil {
			return err
		}
		for _, one := range documents {
			d, err := p.document(one.ID)
			if err != nil {
				return err
			}
			if err := s.signDocument(p, d, who, one); err != nil {
				return err
			}
		}
		p.acceptConsent(p.signer(who).ID)
		p.finish(who.roleID, now)
		return nil
	})
	return err
}

// signingParty returns the party that signs with this request.
func (s *Server) signingParty(r *http.Request, p *pkg) (party, error) {
	if a, ok := s.sessions.of(r); ok {
		if a.packageID != p.ID || !p.has(a.party) {
			return party{}, refuse(noPermission)
		}
		return a.party, nil
	}
	owner := p.owner()
	return owner.partyOf(SenderEmail), nil
}

// mayBeSigned refuses a package that is not sent, and a role out of turn: roles sign in
// the order of their index, and those with index 0 at any time.
func (p *pkg) mayBeSigned(roleID string) error {
	if p.Status != sent || p.Trashed {
		return invalidState("The package is " + p.Status + " and cannot be signed.")
	}
	r, err := p.role(roleID)
	if err != nil {
		return err
	}
	if !p.turnOf(*r) {
		return wire.Refuse(http.StatusForbidden, "It is not this signer's turn.").With(messageKey, "error.forbidden.signer.notYourTurn")
	}
	return nil
}

// turnOf reports whether everybody before the role in the order has signed.
func (p *pkg) turnOf(r role) bool {
	return !slices.ContainsFunc(p.Roles, func(other role) bool {
		earlier := other.Index > 0 && other.Index < r.Index
		return earlier && (p.hasApprovals(other.ID) && !p.signedBy(other.ID, "") || p.lacks(other.ID))
	})
}

func (p *pkg) hasApprovals(roleID string) bool {
	return slices.ContainsFunc(p.Documents, func(d document) bool {
		return slices.ContainsFunc(d.Approvals, func(a approval) bool { return a.Role == roleID })
	})
}

// signDocument signs the role's approvals in a document, with the request's values of its
// fields. If a value breaks a rule, nothing is signed.
func (s *Server) signDocument(p *pkg, d *document, who party, in document) error {
	by := p.signer(who)
	d.take(in, who.roleID)
	p.applyConditions()
	at := dateOf(s.now())
	for j := range d.Approvals {
		a := &d.Approvals[j]
		if !a.awaits(who.roleID) {
			continue
		}
		a.Accepted = &at
		if a.isDisabled() || a.isOptional() && in.leavesOut(a.ID) {
			continue
		}
		for k := range a.Fields {
			s.setDerived(p, &a.Fields[k], by, at.at)
		}
		a.Signed = &at
	}
	return d.checkSigned(who.roleID)
}

// take sets the values of the fields that a role still has to sign from a request.
func (d *document) take(in document, roleID string) {
	values := map[string]*string{}
	for f := range in.fields() {
		values[f.ID] = f.Value
	}
	for _, a := range d.Approvals {
		for k := range a.Fields {
			if value := values[a.Fields[k].ID]; value != nil && a.awaits(roleID) {
				a.Fields[k].Value = value
			}
		}
	}
}

// leavesOut reports whether a request names approvals, but not this one.
func (d document) leavesOut(approvalID string) bool {
	return (len(d.Approvals) > 0 || d.named) && !slices.ContainsFunc(d.Approvals, func(a approval) bool { return a.ID == approvalID })
}

// setDerived gives a field the value that the platform decides, and all fields of one custom
// field the same value.
func (s *Server) setDerived(p *pkg, f *field, by signer, at time.Time) {
	if f.disabled {
		f.Value = nil
		return
	}
	f.fill(by, at)
	if f.Subtype != customFieldSubtype {
		return
	}
	if f.Value == nil {
		value, ok := s.customValue(by, f.Name)
		if !ok {
			return
		}
		f.Value = &value
	}
	for _, same := range p.fields() {
		if same.Subtype == customFieldSubtype && same.Name == f.Name {
			same.Value = f.Value
		}
	}
}

// finish completes a package that completes by itself, once everything is signed and the
// signing role has nothing left that it might sign.
func (p *pkg) finish(roleID string, now time.Time) {
	left := slices.ContainsFunc(p.Documents, func(d document) bool { return d.awaits(roleID) })
	if *p.Autocomplete && p.signedBy("", "") && !left {
		at := dateOf(now)
		p.Status, p.Completed = completed, &at
	}
}
