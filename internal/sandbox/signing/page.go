package signing

import (
	"bytes"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// page is the signing page, without scripts.
type page struct {
	Title     string
	Notice    string
	Documents []pageDocument
	MaySign   bool
	status    int
}

type pageDocument struct {
	Name, Link string
	Signed     bool
}

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title></head>
<body><main><h1>{{.Title}}</h1>{{with .Notice}}<p role="status">{{.}}</p>{{end}}
{{with .Documents}}<ul>{{range .}}<li><a href="{{.Link}}">{{.Name}}</a>{{if .Signed}} (signed){{end}}</li>{{end}}</ul>{{end}}
{{if .MaySign}}<form method="post"><button name="action" value="sign">Sign</button></form>
<form method="post"><label>Reason <input name="reason" required></label> <button name="action" value="decline">Decline</button></form>{{end}}
</main></body></html>
`))

// ServeHTTP answers with the page.
func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		wire.WriteError(w, wire.AsError(err))
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(text.Len()))
	header.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; base-uri 'none'")
	header.Set("Cache-Control", "no-store")
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	_, _ = w.Write(text.Bytes())
}

var expiredPage = page{Title: "Your session has ended", Notice: "Open the link of the invitation again.", status: http.StatusForbidden}

// showPage shows a signer their package.
func (s *Server) showPage(r *http.Request) (any, error) {
	a, ok := s.sessions.of(r)
	if !ok || !a.opens(r.PathValue("package")) {
		return expiredPage, nil
	}
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	if !a.signers() {
		return s.showSenderPage(r)
	}
	return p.page(a.roleID), nil
}

func (p *pkg) page(roleID string) page {
	view := page{Title: p.Name}
	for _, d := range p.Documents {
		view.Documents = append(view.Documents, pageDocument{
			Name: d.Name, Link: p.fileLink(d), Signed: p.signedBy(roleID, d.ID),
		})
	}
	switch err := p.mayBeSigned(roleID); {
	case p.signedBy(roleID, ""):
		view.Notice = "You have signed"
	case err != nil:
		view.Notice = err.Error()
	default:
		view.MaySign = p.hasApprovals(roleID)
	}
	return view
}

// fileLink is where a document can be read.
func (p *pkg) fileLink(d document) string {
	return "/api/packages/" + url.PathEscape(p.ID) + "/documents/" + url.PathEscape(d.ID) + "/pdf"
}

// actOnPage signs everything of the signer's, or declines.
func (s *Server) actOnPage(r *http.Request) (any, error) {
	a, ok := s.sessions.of(r)
	if !ok || a.packageID != r.PathValue("package") || !a.signers() {
		return expiredPage, nil
	}
	p, err := s.store.find(a.packageID)
	if err != nil {
		return nil, err
	}
	if r.FormValue("action") == "decline" {
		err = s.decline(r, a, r.FormValue("reason"))
	} else {
		err = s.sign(r, p.Documents...)
	}
	if err != nil {
		return nil, err
	}
	return http.RedirectHandler(r.URL.Path, http.StatusSeeOther), nil
}

// decline ends the package for everybody.
func (s *Server) decline(r *http.Request, a access, reason string) error {
	_, err := s.change(r, func(p *pkg) error {
		if err := p.mayBeSigned(a.roleID); err != nil {
			return err
		}
		from := struct {
			ID string `json:"id"`
		}{a.roleID}
		text, err := json.Marshal(from)
		if err != nil {
			return err
		}
		return p.move(declined, []message{{From: text, Content: reason}}, s.now())
	})
	return err
}
