package signing

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/sandbox/wire"
)

func (s *Server) signPageRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "showSigningPage", Method: get, Path: "/transaction/{package}/sign", Call: s.showPage, Admits: anybody},
		{Operation: "showSigningPage", Method: get, Path: "/packages/{package}/sign", Call: s.showPage, Admits: anybody},
		{Operation: "signOnPage", Method: post, Path: "/transaction/{package}/sign", Call: s.actOnPage, Admits: anybody, BodyLimit: uploadLimit},
		{Operation: "signOnPage", Method: post, Path: "/packages/{package}/sign", Call: s.actOnPage, Admits: anybody, BodyLimit: uploadLimit},
	}
}

// showPage shows a signer the next step of their package.
func (s *Server) showPage(r *http.Request) (any, error) {
	a, p, ok := s.session(r)
	if !ok {
		return expiredPage(r), nil
	}
	return s.signPage(p, p.visitor(r, a.party), r.URL.Query()), nil
}

// visitor returns the signer as a visitor of the page.
func (p *pkg) visitor(r *http.Request, who party) visitor {
	return visitorOf(r, who, p.signer(who).Language)
}

// signPage returns the consent, then one document after the other, then the end.
func (s *Server) signPage(p *pkg, who visitor, query url.Values) page {
	view := who.page(p.Name)
	view.From, view.Message, view.Finished = p.Sender.Name, p.EmailMessage, p.Status == completed || p.Status == archived
	for _, d := range p.Documents {
		if p.visibleTo(who.roleID, d.ID) {
			view.Documents = append(view.Documents, pageDocument{Name: d.Name, Link: p.fileLink(d), Signed: p.signedIn(d, p.roleNamed(who.roleID))})
		}
	}
	switch {
	case s.ends(&view, p, who):
		view.Finish = view.Notice == who.words["done"] && !query.Has("finished")
		return view
	case query.Has("decline"):
		view.Declining = true
		return view
	case query.Has("pass-on") && p.roleNamed(who.roleID).Reassign:
		view.PassOn = substituteOf(nil)
		return view
	}
	_, untouched := p.changeableRole(who.roleID)
	view.MayPassOn = p.roleNamed(who.roleID).Reassign && untouched == nil
	view.MayDecline = true
	if d, err := p.document(consentID); err == nil && !slices.Contains(d.acceptedBy(), p.signer(who.party).ID) {
		view.Consent = &pageDocument{Name: d.Name, Link: p.fileLink(*d)}
		return view
	}
	view.Document, view.Asked = s.documentView(p, who, query.Get("document")), p.requirementViews(who.roleID)
	if !p.hasApprovals(who.roleID) && !p.lacks(who.roleID) {
		view.Notice, view.Home = who.words["nothing"], s.homeOf(p)
	}
	return view
}

// homeOf returns the address of a package in Countersign, or "".
func (s *Server) homeOf(p *pkg) string {
	if s.home == "" {
		return ""
	}
	return s.home + "/packages/" + url.PathEscape(p.ID) + "?from=signing"
}

// ends fills in the reason why the visitor has nothing to sign; it returns false if they
// have.
func (s *Server) ends(view *page, p *pkg, who visitor) bool {
	left := slices.ContainsFunc(p.Documents, func(d document) bool { return d.awaits(who.roleID) })
	open := p.Status == sent && !p.Trashed
	switch {
	case p.signedBy(who.roleID, "") && (view.Finished || open && !left):
		view.Notice, view.Hint = who.words["done"], who.words["others"]
		if view.Finished {
			view.Hint = who.words["everybody"]
		}
	case p.Trashed:
		view.Notice = who.words["TRASHED"]
	case !open:
		view.Notice = who.words[p.Status]
	case !p.turnOf(p.roleNamed(who.roleID)):
		view.Notice, view.Hint = who.words["turn"], who.words["later"]
	default:
		return false
	}
	view.Home = s.homeOf(p)
	return true
}

// documentView returns the document of that id, else the first unsigned one, else the
// first.
func (s *Server) documentView(p *pkg, who visitor, id string) *documentView {
	p = p.clone()
	p.applyConditions()
	var all []document
	for _, d := range p.Documents {
		if d.ID != consentID && p.visibleTo(who.roleID, d.ID) {
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
		ID: d.ID, Name: d.Name, Link: p.fileLink(d), Sign: left(d), Fields: s.fieldViews(p, d, who), Number: i + 1, Count: len(all),
	}
	view.Pages, view.Rules = d.outlines(p, view.Fields), p.liveRules(d)
	for i := range view.Fields {
		f := &view.Fields[i]
		f.Disabled = f.Disabled && !slices.ContainsFunc(view.Rules, func(r fieldRule) bool { return r.Field == f.ID })
	}
	if i+1 < len(all) {
		view.Next = all[i+1].ID
	}
	if form, ok := s.drafts.find(draftKey{p.ID, who.party, d.ID}); ok {
		view.refill(form)
	}
	return view
}

// awaits reports whether the role still has to sign something in the document.
func (d document) awaits(roleID string) bool {
	return slices.ContainsFunc(d.Approvals, func(a approval) bool { return a.awaits(roleID) })
}

// fileLink returns the address at which a document can be read.
func (p *pkg) fileLink(d document) string {
	return "/api/packages/" + url.PathEscape(p.ID) + "/documents/" + url.PathEscape(d.ID) + "/pdf"
}

// actOnPage accepts, signs, finishes or declines. For an impossible action it answers
// with the page as it is now.
func (s *Server) actOnPage(r *http.Request) (any, error) {
	a, p, ok := s.session(r)
	if !ok {
		return expiredPage(r), nil
	}
	who, action := p.visitor(r, a.party), r.FormValue("action")
	if refusal := p.mayBeSigned(a.roleID); refusal != nil && action != "finish" {
		view := s.signPage(p, who, url.Values{"finished": nil})
		view.status = wire.AsError(refusal).Status
		return view, nil
	}
	attached, err := s.attachOnPage(r, a)
	if err != nil {
		return nil, err
	}
	switch action {
	case "":
		if id, fileID, detach := strings.Cut(r.FormValue("detach"), "/"); detach {
			if _, err := s.change(r, func(p *pkg) error { return p.drop(a.party, id, fileID) }); err != nil {
				return nil, err
			}
		}
		return s.leaveDocument(r, a), nil
	case "attach":
		if !attached {
			return s.nothingChosen(r, p, who), nil
		}
		return s.leaveDocument(r, a), nil
	case "finish":
		return http.RedirectHandler(r.URL.Path+"?finished=yes", http.StatusSeeOther), nil
	case "accept":
		_, err = s.change(r, func(p *pkg) error {
			p.acceptConsent(p.signer(a.party).ID)
			return p.mayBeSigned(a.roleID)
		})
	case "decline":
		if strings.TrimSpace(r.FormValue("reason")) == "" {
			return who.reasonMissing(p.Name), nil
		}
		err = s.decline(r, a, r.FormValue("reason"))
	case "pass-on":
		return s.passOn(r, p, who)
	default:
		return s.signOnPage(r, p, who)
	}
	if err != nil {
		return nil, err
	}
	return http.RedirectHandler(r.URL.Path, http.StatusSeeOther), nil
}

// reasonMissing is the page of a package that is declined without a reason.
func (v visitor) reasonMissing(name string) page {
	view := v.page(name)
	view.Declining, view.Alerts, view.status = true, true, http.StatusUnprocessableEntity
	return view
}

// signOnPage signs the form's document, or all of them, or shows the errors in the
// values.
func (s *Server) signOnPage(r *http.Request, p *pkg, who visitor) (any, error) {
	var signed []document
	for _, d := range p.Documents {
		if id := r.FormValue("document"); id != "" && d.ID != id {
			continue
		}
		tried, filled := p.with(d.ID, r.Form)
		signed = append(signed, filled)
		if alerts := s.entered(tried, filled, who, r.Form); alerts != nil {
			return s.alertPage(p, d, who, alerts, r.Form), nil
		}
	}
	if err := s.sign(r, signed...); err != nil {
		return nil, err
	}
	return http.RedirectHandler(r.URL.Path, http.StatusSeeOther), nil
}
