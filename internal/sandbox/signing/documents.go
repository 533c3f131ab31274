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
		{Operation: "updateDocuments", Method: put, Path: packagePath + "/documents", Call: s.updateDocuments},
		{Operation: "deleteDocuments", Method: del, Path: packagePath + "/documents", Call: s.deleteDocuments},
		{Operation: "getDocument", Method: get, Path: documentPath, Call: s.getDocument},
		{Operation: "updateDocument", Method: put, Path: documentPath, Call: s.updateDocument, BodyLimit: uploadLimit},
		{Operation: "updateDocument", Method: post, Path: documentPath, Call: s.updateDocument, BodyLimit: uploadLimit},
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
	for i := range made { // as they are now
		j, err := p.documentIndex(made[i].ID)
		if err != nil {
			return nil, err
		}
		made[i] = p.Documents[j]
	}
	if several {
		return wire.Answer{Media: asPage, Value: made}, nil
	}
	return wire.Answer{Media: asPage, Value: made[0]}, nil
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
func (s *Server) updateDocuments(r *http.Request) (any, error) {
	order, err := read[[]place](r)
	if err != nil {
		return nil, err
	}
	_, err = s.changeDocuments(r, func(p *pkg) error {
		for _, one := range order {
			i, err := p.documentIndex(one.ID)
			if err != nil {
				return err
			}
			p.Documents[i].Index = one.Index
		}
		return nil
	})
	return wire.Empty{}, err
}

// deleteDocuments deletes the documents of an array of ids.
func (s *Server) deleteDocuments(r *http.Request) (any, error) {
	ids, err := read[[]string](r)
	if err != nil {
		return nil, err
	}
	return s.removeDocuments(r, ids...)
}

func (s *Server) deleteDocument(r *http.Request) (any, error) {
	return s.removeDocuments(r, r.PathValue("document"))
}

func (s *Server) removeDocuments(r *http.Request, ids ...string) (any, error) {
	_, err := s.changeDocuments(r, func(p *pkg) error {
		for _, id := range ids {
			i, err := p.documentIndex(id)
			if err != nil {
				return err
			}
			p.Documents = slices.Delete(p.Documents, i, i+1)
			delete(p.files, id)
		}
		return nil
	})
	return wire.Empty{}, err
}

func (s *Server) getDocument(r *http.Request) (any, error) {
	_, d, err := s.document(r)
	return d, err
}

// document returns the path's document, with its package.
func (s *Server) document(r *http.Request) (*pkg, document, error) {
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, document{}, err
	}
	i, err := p.documentIndex(r.PathValue("document"))
	if err != nil {
		return nil, document{}, err
	}
	return p, p.Documents[i], nil
}

// updateDocument changes the members in the payload, and the content if a file or
// base64Content comes with it.
func (s *Server) updateDocument(r *http.Request) (any, error) {
	in, err := readUpload(r)
	if err != nil {
		return nil, err
	}
	if len(in.files) > 1 {
		return nil, malformed("There are more files than documents.", nil)
	}
	p, changed, err := s.document(r)
	if err != nil {
		return nil, err
	}
	if err := changed.merge(in.payload); err != nil {
		return nil, err
	}
	changed.content.original, changed.Base64Content = changed.Base64Content, nil
	if len(in.files) == 1 {
		changed.content.original = in.files[0]
	}
	replaced := []document{changed}
	if err := s.store.admit(replaced, nil); err != nil {
		return nil, err
	}
	if err := s.inspect(r.Context(), replaced, p.Roles); err != nil {
		return nil, err
	}
	return s.changeDocument(r, func(p *pkg, d *document) error {
		p.keep(&replaced[0])
		*d = replaced[0]
		return nil
	})
}

// changeDocument lets act change the path's document of a draft, and returns the
// document.
func (s *Server) changeDocument(r *http.Request, act func(*pkg, *document) error) (document, error) {
	id := r.PathValue("document")
	p, err := s.changeDocuments(r, func(p *pkg) error {
		i, err := p.documentIndex(id)
		if err != nil {
			return err
		}
		return act(p, &p.Documents[i])
	})
	if err != nil {
		return document{}, err
	}
	i, err := p.documentIndex(id)
	if err != nil {
		return document{}, err
	}
	return p.Documents[i], nil
}

func (p *pkg) documentIndex(id string) (int, error) {
	i := slices.IndexFunc(p.Documents, func(d document) bool { return d.ID == id })
	if i < 0 {
		return 0, unknown("document")
	}
	return i, nil
}
