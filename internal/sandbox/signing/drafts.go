package signing

import (
	"cmp"
	"net/http"
	"net/url"
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
