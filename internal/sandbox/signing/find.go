package signing

import (
	"iter"
	"net/http"
	"slices"
	"sync"

	"countersign/internal/sandbox/wire"
)

// first returns the first of all that fits, or the 404 for a thing of that name.
func first[T any](all []T, name string, fits func(*T) bool) (*T, error) {
	for i := range all {
		if fits(&all[i]) {
			return &all[i], nil
		}
	}
	return nil, unknown(name)
}

func (p *pkg) document(id string) (*document, error) {
	return first(p.Documents, "document", func(d *document) bool { return d.ID == id })
}

func (d *document) approval(id string) (*approval, error) {
	return first(d.Approvals, "approval", func(a *approval) bool { return a.ID == id })
}

func (a *approval) field(id string) (*field, error) {
	return first(a.Fields, "field", func(f *field) bool { return f.ID == id })
}

// role finds a role by its id, else by a signer's.
func (p *pkg) role(id string) (*role, error) {
	if r, err := first(p.Roles, "role", func(r *role) bool { return r.ID == id }); err == nil {
		return r, nil
	}
	return first(p.Roles, "role", func(r *role) bool { return r.hasSigner(id) })
}

// roleNamed returns the role with that id, or one without signers.
func (p *pkg) roleNamed(id string) role {
	i := slices.IndexFunc(p.Roles, func(r role) bool { return r.ID == id })
	if i < 0 {
		return role{}
	}
	return p.Roles[i]
}

// fields returns all fields of the package's approvals, each with its document.
func (p *pkg) fields() iter.Seq2[*document, *field] {
	return func(yield func(*document, *field) bool) {
		for i := range p.Documents {
			for f := range p.Documents[i].fields() {
				if !yield(&p.Documents[i], f) {
					return
				}
			}
		}
	}
}

// fields returns all fields of the document's approvals.
func (d *document) fields() iter.Seq[*field] {
	return func(yield func(*field) bool) {
		for _, a := range d.Approvals {
			for i := range a.Fields {
				if !yield(&a.Fields[i]) {
					return
				}
			}
		}
	}
}

// ofPackage returns a call about the package in its path.
func (s *Server) ofPackage(call func(r *http.Request, p *pkg) (any, error)) wire.Call {
	return func(r *http.Request) (any, error) {
		p, err := s.store.find(r.PathValue("package"))
		if err != nil {
			return nil, err
		}
		return call(r, p)
	}
}

// ofDocument returns a call about the document in its path.
func (s *Server) ofDocument(call func(r *http.Request, p *pkg, d *document) (any, error)) wire.Call {
	return s.ofPackage(func(r *http.Request, p *pkg) (any, error) {
		d, err := p.document(r.PathValue("document"))
		if err != nil {
			return nil, err
		}
		return call(r, p, d)
	})
}

// withBody returns a call with a JSON body, of which unknown members are ignored.
func withBody[T any](call func(r *http.Request, in T) (any, error)) wire.Call {
	return func(r *http.Request) (any, error) {
		body, err := wire.ReadJSON(r)
		if err != nil {
			return nil, err
		}
		var in T
		if err := decode(body, &in); err != nil {
			return nil, err
		}
		return call(r, in)
	}
}

// empty answers without a body.
func empty(_ any, err error) (any, error) { return wire.Empty{}, err }

// memory is a map that is safe for concurrent use.
type memory[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]V
}

func (m *memory[K, V]) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = map[K]V{}
}

func (m *memory[K, V]) keep(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[key] = value
}

func (m *memory[K, V]) find(key K) (V, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.all[key]
	return value, ok
}
