package signing

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// showPage shows a signer what is next of their package.
func (s *Server) showPage(r *http.Request) (any, error) {
	a, ok := s.session(r)
	if !ok || !a.opens(r.PathValue("package")) {
		return expiredPage, nil
	}
	if !a.signers() {
		return s.showSenderPage(r)
	}
	p, err := s.store.find(a.packageID)
	if err != nil {
		return nil, err
	}
	return s.signPage(p, a.party, r.URL.Query()), nil
}

// signPage is the consent, then one document after the other, then the end.
func (s *Server) signPage(p *pkg, who party, query url.Values) page {
	view := page{Title: p.Name}
	for _, d := range p.Documents {
		view.Documents = append(view.Documents, pageDocument{Name: d.Name, Link: p.fileLink(d), Signed: p.signedBy(who.roleID, d.ID)})
	}
	signed := p.signedBy(who.roleID, "")
	switch err := p.mayBeSigned(who.roleID); {
	case signed:
		view.Notice, view.Home, view.Finish = "You have signed", s.home, !query.Has("finished")
		return view
	case p.Status == sent && !p.turnOf(p.roleNamed(who.roleID)):
		view.Notice = "It is not your turn yet"
		return view
	case err != nil:
		view.Notice, view.Home = err.Error(), s.home
		return view
	}
	if query.Has("decline") {
		view.Declining = true
		return view
	}
	view.MayDecline = true
	if i, err := p.documentIndex(consentID); err == nil && !slices.Contains(p.Documents[i].acceptedBy(), p.signer(who).ID) {
		view.Consent = &pageDocument{Name: p.Documents[i].Name, Link: p.fileLink(p.Documents[i])}
		return view
	}
	view.Document = s.documentView(p, who, query.Get("document"))
	return view
}

// documentView is the document of that id, else the first that is left to sign,
// else the first.
func (s *Server) documentView(p *pkg, who party, id string) *documentView {
	var all []document
	for _, d := range p.Documents {
		if d.ID != consentID {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return nil
	}
	left := func(d document) bool { return d.awaits(who.roleID) }
	i := slices.IndexFunc(all, func(d document) bool { return d.ID == id })
	if i < 0 {
		i = max(slices.IndexFunc(all, left), 0)
	}
	d := all[i]
	view := &documentView{
		ID: d.ID, Name: d.Name, Link: p.fileLink(d), Sign: left(d), Fields: s.fieldViews(p, d, who),
		Viewer: "/transaction/" + url.PathEscape(p.ID) + "/documents/" + url.PathEscape(d.ID),
	}
	view.Pages = d.outlines(view.Fields)
	if i+1 < len(all) {
		view.Next = all[i+1].ID
	}
	return view
}

// awaits reports whether the role has something left to sign in the document.
func (d document) awaits(roleID string) bool {
	return slices.ContainsFunc(d.Approvals, func(a approval) bool { return a.awaits(roleID) })
}

// fileLink is where a document can be read.
func (p *pkg) fileLink(d document) string {
	return "/api/packages/" + url.PathEscape(p.ID) + "/documents/" + url.PathEscape(d.ID) + "/pdf"
}

// actOnPage accepts, signs, finishes or declines.
func (s *Server) actOnPage(r *http.Request) (any, error) {
	a, ok := s.session(r)
	if !ok || a.packageID != r.PathValue("package") || !a.signers() {
		return expiredPage, nil
	}
	p, err := s.store.find(a.packageID)
	if err != nil {
		return nil, err
	}
	leads := r.URL.Path
	switch r.FormValue("action") {
	case "finish":
		leads += "?finished=yes"
	case "accept":
		_, err = s.change(r, func(p *pkg) error {
			p.acceptConsent(p.signer(a.party).ID)
			return p.mayBeSigned(a.roleID)
		})
	case "decline":
		if strings.TrimSpace(r.FormValue("reason")) == "" {
			return page{Title: p.Name, Declining: true, Alerts: true, status: http.StatusUnprocessableEntity}, nil
		}
		err = s.decline(r, a, r.FormValue("reason"))
	default:
		return s.signOnPage(r, p, a.party)
	}
	if err != nil {
		return nil, err
	}
	return http.RedirectHandler(leads, http.StatusSeeOther), nil
}

// signOnPage signs the document of the form, or all of them, or shows what is
// wrong with the values.
func (s *Server) signOnPage(r *http.Request, p *pkg, who party) (any, error) {
	var signed []document
	for _, d := range p.Documents {
		if id := r.FormValue("document"); id != "" && d.ID != id {
			continue
		}
		if alerts := s.entered(p, d, who, r.Form); alerts != nil && p.mayBeSigned(who.roleID) == nil {
			return s.alertPage(p, d, who, alerts, r.Form), nil
		}
		signed = append(signed, d.with(r.Form))
	}
	if err := s.sign(r, signed...); err != nil {
		return nil, err
	}
	return http.RedirectHandler(r.URL.Path, http.StatusSeeOther), nil
}
