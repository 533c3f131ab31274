package signing

import (
	"cmp"
	"net/http"
	"net/url"
	"sync"
)

// draftKey names the values that a signer has entered in a document and left unsigned.
type draftKey struct {
	packageID string
	party
	documentID string
}

// leaveDocument stores the values entered in a document, and leads to another one or to
// the question why the signer declines.
func (s *Server) leaveDocument(r *http.Request, a access) http.Handler {
	s.drafts.keep(draftKey{a.packageID, a.party, r.FormValue("document")}, r.Form)
	leads := url.Values{"document": {cmp.Or(r.FormValue("next"), r.FormValue("document"))}}
	if r.Form.Has("decline") {
		leads = url.Values{"decline": {"ask"}}
	}
	return http.RedirectHandler(r.URL.Path+"?"+leads.Encode(), http.StatusSeeOther)
}

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
