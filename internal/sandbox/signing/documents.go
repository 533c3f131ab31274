package signing

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

func (s *Server) documentRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createDocuments", Method: post, Path: packagePath + "/documents", Call: s.createDocuments, BodyLimit: uploadLimit},
		{Operation: "updateDocuments", Method: put, Path: packagePath + "/documents", Call: withBody(s.updateDocuments)},
		{Operation: "deleteDocuments", Method: del, Path: packagePath + "/documents", Call: withBody(s.deleteDocuments)},
		{Operation: "getDocument", Method: get, Path: documentPath, Call: s.ofDocument(s.getDocument)},
		{Operation: "updateDocument", Method: put, Path: documentPath, Call: s.ofDocument(s.updateDocument), BodyLimit: uploadLimit},
		{Operation: "updateDocument", Method: post, Path: documentPath, Call: s.ofDocument(s.updateDocument), BodyLimit: uploadLimit},
		{Operation: "deleteDocument", Method: del, Path: documentPath, Call: s.deleteDocument},
	}
}

// createDocuments adds the document of the payload, or all of an array, and answers with
// the same number.
func (s *Server) createDocuments(r *http.Request) (any, error) {
	in, err := readUpload(r)
	if err != nil {
		return nil, err
	}
	several := jsontext.Value(in.payload).Kind() == '['
	made := make([]document, 1)
	if several {
		err = decode(in.payload, &made)
	} else {
		err = decode(in.payload, &made[0])
	}
	if err != nil {
		return nil, err
	}
	if err := assign(made, in.files); err != nil {
		return nil, err
	}
	before, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	if err := s.store.admit(made, before.Documents); err != nil {
		return nil, err
	}
	if err := s.inspect(r.Context(), made, before.Roles); err != nil {
		return nil, err
	}
	p, err := s.changeDocuments(r, func(p *pkg) error {
		for i := range made {
			p.keep(&made[i])
		}
		p.Documents = append(p.Documents, made...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	answer := make([]*document, len(made)) // as they are now
	for i := range made {
		if answer[i], err = p.document(made[i].ID); err != nil {
			return nil, err
		}
	}
	if several {
		return wire.Answer{Media: asPage, Value: answer}, nil
	}
	return wire.Answer{Media: asPage, Value: answer[0]}, nil
}

// asPage is what the platform calls some answers in JSON (docs/platform.md S8).
const asPage = "text/html; charset=utf-8"

// changeDocuments lets act change a draft.
func (s *Server) changeDocuments(r *http.Request, act func(*pkg) error) (*pkg, error) {
	return s.change(r, func(p *pkg) error {
		if p.Status != draft {
			return invalidState("The package is not a draft.")
		}
		return act(p)
	})
}

// updateDocuments changes the order of documents.
func (s *Server) updateDocuments(r *http.Request, order []place) (any, error) {
	return empty(s.changeDocuments(r, func(p *pkg) error {
		for _, one := range order {
			d, err := p.document(one.ID)
			if err != nil {
				return err
			}
			d.Index = one.Index
		}
		return nil
	}))
}

// deleteDocuments deletes the documents of an array of ids.
func (s *Server) deleteDocuments(r *http.Request, ids []string) (any, error) {
	return empty(s.changeDocuments(r, func(p *pkg) error {
		for _, id := range ids {
			if _, err := p.document(id); err != nil {
				return err
			}
			p.Documents = slices.DeleteFunc(p.Documents, func(d document) bool { return d.ID == id })
			delete(p.files, id)
		}
		return nil
	}))
}

func (s *Server) deleteDocument(r *http.Request) (any, error) {
	return s.deleteDocuments(r, []string{r.PathValue("document")})
}

func (s *Server) getDocument(_ *http.Request, _ *pkg, d *document) (any, error) { return d, nil }

// updateDocument changes the members in the payload, and the content if a file or
// base64Content comes with it.
func (s *Server) updateDocument(r *http.Request, p *pkg, d *document) (any, error) {
	in, err := readUpload(r)
	if err != nil {
		return nil, err
	}
	if len(in.files) > 1 {
		return nil, malformed("There are more files than documents.", nil)
	}
	copied, err := p.clone().document(d.ID) // merging writes into what a document holds
	if err != nil {
		return nil, err
	}
	changed := []document{*copied}
	if err := changed[0].merge(in.payload); err != nil {
		return nil, err
	}
	changed[0].content.original, changed[0].Base64Content = changed[0].Base64Content, nil
	if len(in.files) == 1 {
		changed[0].content.original = in.files[0].content
	}
	if err := s.store.admit(changed, nil); err != nil {
		return nil, err
	}
	if err := s.inspect(r.Context(), changed, p.Roles); err != nil {
		return nil, err
	}
	return s.changeDocument(r, func(p *pkg, d *document) error {
		p.keep(&changed[0])
		*d = changed[0]
		return nil
	})
}

// changeDocument lets act change the path's document of a draft, and returns the
// document.
func (s *Server) changeDocument(r *http.Request, act func(*pkg, *document) error) (*document, error) {
	id := r.PathValue("document")
	p, err := s.changeDocuments(r, func(p *pkg) error {
		d, err := p.document(id)
		if err != nil {
			return err
		}
		return act(p, d)
	})
	if err != nil {
		return nil, err
	}
	return p.document(id)
}
