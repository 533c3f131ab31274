package signing

import (
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// fileControl begins the name of a control that takes files; the requirement's id
// follows.
const fileControl = "file."

// requirementView is a requirement on the signing page.
type requirementView struct {
	ID, Name, Description, Comment string
	Number                         int // from 1
	Missing                        bool
	Files                          []attachedView
	Alert                          bool // no file was chosen
}

// attachedView is an attached file; Button identifies it for removal.
type attachedView struct{ Name, Button string }

// DescribedBy returns the ids of the control's descriptions.
func (v requirementView) DescribedBy() string {
	n, ids := strconv.Itoa(v.Number), []string{}
	if v.Description != "" || v.Comment != "" {
		ids = append(ids, "h"+n)
	}
	if v.Alert {
		ids = append(ids, "ef"+n)
	}
	return strings.Join(ids, " ")
}

// requirementViews returns the requirements of a role.
func (p *pkg) requirementViews(roleID string) []requirementView {
	var views []requirementView
	for i, q := range p.roleNamed(roleID).AttachmentRequirements {
		v := requirementView{ID: q.ID, Name: q.Name, Description: q.Description, Number: i + 1, Missing: q.isMissing()}
		if q.Status == rejected {
			v.Comment = q.Comment
		}
		for _, a := range q.Files {
			v.Files = append(v.Files, attachedView{a.Name, q.ID + "/" + strconv.Itoa(a.ID)})
		}
		views = append(views, v)
	}
	return views
}

// attachOnPage attaches the files of a form, and reports whether there were any.
func (s *Server) attachOnPage(r *http.Request, a access) (bool, error) {
	if r.MultipartForm == nil {
		return false, nil
	}
	chosen := map[string][]file{}
	for control, headers := range r.MultipartForm.File {
		for _, header := range headers {
			one, err := readFile(header)
			if err != nil {
				return false, err
			}
			if id, asked := strings.CutPrefix(control, fileControl); asked && (header.Filename != "" || len(one.content) > 0) {
				chosen[id] = append(chosen[id], one)
			}
		}
	}
	if len(chosen) == 0 {
		return false, nil
	}
	_, err := s.change(r, func(p *pkg) error {
		if err := p.mayBeSigned(a.roleID); err != nil {
			return err
		}
		for id, files := range chosen {
			roleID, q, err := p.requirement(a.party, id)
			if err != nil {
				return err
			}
			s.take(p, roleID, q, files)
		}
		return nil
	})
	return true, err
}

func readFile(header *multipart.FileHeader) (file, error) {
	content, err := header.Open()
	if err != nil {
		return file{}, err
	}
	defer func() { _ = content.Close() }() // it was only read
	text, err := io.ReadAll(content)
	return file{name: header.Filename, content: text}, err
}

// nothingChosen shows the page again, with the entered values, if a file was to be
// attached and none was chosen.
func (s *Server) nothingChosen(r *http.Request, p *pkg, who visitor) page {
	view := s.signPage(p, who, url.Values{"document": {r.FormValue("document")}})
	view.status, view.Alerts = http.StatusUnprocessableEntity, true
	if view.Document != nil {
		view.Document.refill(r.Form)
	}
	for i := range view.Asked {
		if view.Asked[i].Missing || i == len(view.Asked)-1 {
			view.Asked[i].Alert = true
			break
		}
	}
	return view
}
