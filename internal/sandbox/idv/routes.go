package idv

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

const get, put, post = http.MethodGet, http.MethodPut, http.MethodPost

// Routes returns the operations of the platform, in both families of paths
// (docs/platform.md V2), and the person's page.
func (s *Server) Routes() []wire.Route {
	routes := slices.Concat(s.family("/api/transaction"), s.family("/api/transactions"))
	for i := range routes {
		routes[i].Credential = s.credential
	}
	return append(routes, s.pageRoutes()...)
}

// family returns the operations below one path.
func (s *Server) family(path string) []wire.Route {
	one := path + "/{transaction}"
	return []wire.Route{
		{Operation: "createTransaction", Method: put, Path: path, Call: s.create, BodyLimit: createLimit},
		{Operation: "createTransaction", Method: post, Path: path, Call: s.create, BodyLimit: createLimit},
		{Operation: "getTransaction", Method: get, Path: one, Call: s.ofTransaction(s.get)},
		{Operation: "getTransactionVerification", Method: get, Path: one + "/verification", Call: s.ofTransaction(s.getVerification)},
		{Operation: "getEvidence", Method: get, Path: one + "/document/AuditTrailDocument/pdf", Call: s.ofTransaction(s.getEvidence)},
		{Operation: "getDocument", Method: get, Path: one + "/document/{document}/pdf", Call: s.ofTransaction(s.getDocument)},
		{Operation: "cancelTransaction", Method: put, Path: one + "/event", Call: wire.JSON(s.cancel)},
		{Operation: "markForErasure", Method: post, Path: path + "/mark-for-erasure", Call: wire.JSON(s.mark)},
		{Operation: "unmarkForErasure", Method: post, Path: path + "/unmark-for-erasure", Call: wire.JSON(s.unmark)},
		{Operation: "createSessionToken", Method: post, Path: one + "/token", Call: wire.JSON(s.createToken)},
		{Operation: "generateAuditTrail", Method: post, Path: one + "/generate-audit-trail", Call: s.generateTrail},
		{Operation: "getTransactionData", Method: get, Path: one + "/data", Call: s.ofTransaction(s.getData)},
		{Operation: "getVerificationImages", Method: get, Path: one + "/verifications/{verification}/verification-images", Call: s.ofTransaction(s.getImages)},
		{Operation: "getDetailedReport", Method: get, Path: one + "/detailed-verification-report", Call: s.ofTransaction(s.getReport)},
	}
}

// pageRoutes returns the routes of the page, for clients with a token of the transaction.
func (s *Server) pageRoutes() []wire.Route {
	const path = "/esign/{transaction}"
	anybody := func(*http.Request) bool { return true }
	return []wire.Route{
		{Operation: "showVerificationPage", Method: get, Path: path, Call: s.showPage, Admits: anybody},
		{Operation: "playVerification", Method: post, Path: path, Call: s.actOnPage, Admits: anybody},
		{Operation: "viewAgreement", Method: get, Path: path + "/documents/{document}", Call: s.viewAgreement, Admits: anybody},
		{Operation: "getVerificationAsset", Method: get, Path: "/verification/{asset}", Call: wire.Assets(assets), Admits: anybody},
	}
}

// ofTransaction returns a call about the transaction in its path.
func (s *Server) ofTransaction(call func(r *http.Request, t *transaction) (any, error)) wire.Call {
	return func(r *http.Request) (any, error) {
		t, err := s.store.find(r.PathValue("transaction"))
		if err != nil {
			return nil, err
		}
		return call(r, t)
	}
}
