package idv

import (
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/sandbox/wire"
)

// storage begins the addresses of what the platform keeps for this tenant.
const storage = "sfs://sandbox/" + Tenant + "/transactions/"

// stored returns the storage's address of what lies below t there.
func (t *transaction) stored(path string) string { return storage + t.id + "/" + path }

// dataURL returns the address at which a caller reads what the storage has at address.
func (t *transaction) dataURL(site, address string) string {
	return site + "/api/transactions/" + t.id + "/data?url=" + url.QueryEscape(address)
}

// getData answers with what the storage has at the address in the query: the audit trail,
// or a picture of a verification. An address of another transaction is refused.
func (s *Server) getData(r *http.Request, t *transaction) (any, error) {
	var rules wire.Rules
	path, ok := strings.CutPrefix(r.URL.Query().Get("url"), t.stored(""))
	if !ok {
		rules.Broken("url", "must be the address of something of this transaction, "+t.stored("…"))
		return nil, rules.Err()
	}
	if t.trail != nil && t.stored(path) == t.trail.address(t) {
		return t.trail.download()
	}
	return t.picture(path)
}
