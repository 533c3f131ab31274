package signing

import (
	"cmp"
	"net/http"
	"net/url"
	"sync"
)

// drafts are what signers have entered in documents that they left without signing
// them. It is safe for concurrent use.
type drafts struct {
	mu   sync.Mutex
	kept map[draftKey]url.Values
}

type draftKey struct {
	packageID string
	party
	documentID string
}

func (d *drafts) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = map[draftKey]url.Values{}
}

// keep keeps the last draft of a document.
func (d *drafts) keep(of draftKey, form url.Values) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[of] = form
}

// find is the draft of a document; false if there is none.
func (d *drafts) find(of draftKey) (url.Values, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	form, ok := d.kept[of]
	return form, ok
}

// leaveDocument keeps what was entered in a document, and leads to another one or to
// the question why the signer declines.
func (s *Server) leaveDocument(r *http.Request, a access) http.Handler {
	s.drafts.keep(draftKey{a.packageID, a.party, r.FormValue("document")}, r.Form)
	leads := url.Values{"document": {cmp.Or(r.FormValue("next"), r.FormValue("document"))}}
	if r.Form.Has("decline") {
		leads = url.Values{"decline": {"ask"}}
	}
	return http.RedirectHandler(r.URL.Path+"?"+leads.Encode(), http.StatusSeeOther)
}
