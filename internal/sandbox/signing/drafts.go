package signing

import (
	"cmp"
	"net/http"
	"net/url"
	"sync"
)

// drafts are the values that signers have entered in documents and left unsigned. It is
// safe for concurrent use.
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

// keep stores the last draft of a document.
func (d *drafts) keep(of draftKey, form url.Values) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept[of] = form
}

// find returns the draft of a document, or false.
func (d *drafts) find(of draftKey) (url.Values, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	form, ok := d.kept[of]
	return form, ok
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
