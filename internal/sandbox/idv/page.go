package idv

import (
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"countersign/internal/sandbox/wire"
)

//go:embed assets
var assets embed.FS

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(assets, "assets/page.html"))
})

// page is the person's page. It needs no scripts.
type page struct {
	Title, Notice string
	Step          string // "" when the transaction is over
	Steps         []pageStep
	Kinds         []documentKind
	Agreements    []agreement
	Leads         string // the client's redirect, or ""
	Home          string // the last link without a redirect
	status        int
}

// Camera reports whether the step needs a camera.
func (p page) Camera() bool { return p.Step == chooseDocument || p.Step == takeSelfie }

type pageStep struct {
	Name    string
	Current bool
}

// agreement is a document to read.
type agreement struct{ Name, Link string }

// steps are the steps with the page's names for them.
var steps = []struct{ action, name, title string }{
	{chooseDocument, "Document", "Show your identity document"},
	{takeSelfie, "Selfie", "Show your face"},
	{agree, "Consent", "Read and agree"},
	{finish, "Finish", "Finish"},
}

// overTitles are the titles for transactions that are over.
var overTitles = map[string]string{
	statusCompleted: "Your verification is complete", statusCancelled: "This verification was cancelled",
	statusExpired: "This verification has expired", statusError: "This verification has failed",
}

// ServeHTTP answers with the page. Its policy leaves form-action open, because the last
// form leads to the client's redirect.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Referrer-Policy", "same-origin")
	wire.Page{
		Template: pageTemplate(), Data: p, Status: p.status,
		Policy: "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
	}.ServeHTTP(w, r)
}

// showPage answers with the next step.
func (s *Server) showPage(r *http.Request) (any, error) {
	v, refusal := s.visit(r)
	if refusal != nil {
		return refusal, nil
	}
	p := v.page()
	if p.Step == "" && p.Leads == "" {
		p.Home = s.home
	}
	return p, nil
}

// page returns the next step, or the result.
func (v visit) page() page {
	if !v.active() {
		p := page{Title: overTitles[v.status], Leads: v.end()}
		if v.status == statusCompleted {
			p.Notice = "The result is: " + v.result
		}
		return p
	}
	p := page{Step: v.played.step(), Kinds: documentKinds}
	for _, one := range steps {
		current := one.action == p.Step
		if current {
			p.Title = one.title
		}
		p.Steps = append(p.Steps, pageStep{one.name, current})
	}
	for _, d := range v.input.Documents {
		link := "/esign/" + v.id + "/documents/" + url.PathEscape(d.ID) + "?access_token=" + v.value
		p.Agreements = append(p.Agreements, agreement{d.ID, link})
	}
	return p
}

// actOnPage carries out a step and leads to the next one, or away from the page.
func (s *Server) actOnPage(r *http.Request) (any, error) {
	v, refusal := s.visit(r)
	if refusal != nil {
		return refusal, nil
	}
	m := move{action: r.PostFormValue("action"), kind: r.PostFormValue("kind"), quality: good, by: v.event()}
	if r.PostFormValue("quality") == bad {
		m.quality = bad
	}
	t, err := s.store.change(v.id, func(t *transaction, now time.Time) error {
		t.play(m, now)
		return nil
	})
	if err != nil {
		return nil, err
	}
	v.transaction = t
	leads := v.transaction.page(v.token)
	if m.action == finish && v.end() != "" && !v.active() {
		leads = v.end()
	}
	return http.RedirectHandler(leads, http.StatusSeeOther), nil
}

// viewAgreement answers with an agreement for a person with a token.
func (s *Server) viewAgreement(r *http.Request) (any, error) {
	v, refusal := s.visit(r)
	if refusal != nil {
		return refusal, nil
	}
	return v.documentFile(r.PathValue("document"))
}
