// Package signing is the sandbox's platform for electronic signing: packages
// with their roles, signers and documents. It answers as the specification
// (parts 2, 3.1, 4.1, 4.2, 7.1) and the signing facts say that the platform
// does, errors included.
//
// It keeps everything in memory. Its JSON structs are its own, so that a wrong
// member name of Countersign's does not cancel itself out.
package signing

import (
	"net/http"
	"time"

	"countersign/internal/sandbox/wire"
)

// Server is the signing platform. It is safe for concurrent use.
type Server struct {
	now      func() time.Time
	store    *store
	sessions *sessions
}

// New is the platform at its start, without packages, on that clock.
func New(now func() time.Time) *Server {
	s := &Server{now: now, store: &store{now: now}, sessions: &sessions{now: now}}
	s.Reset()
	return s
}

// uploadLimit is the largest body with documents: 256 MiB of them, in base64.
const uploadLimit = 352 << 20

// Routes are the operations of the signing API.
func (s *Server) Routes() []wire.Route {
	const get, put, post, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete
	const packages, one = "/api/packages", "/api/packages/{package}"
	const role, document = one + "/roles/{role}", one + "/documents/{document}"
	return []wire.Route{
		{Operation: "createPackage", Method: post, Path: packages, Call: s.createPackage, BodyLimit: uploadLimit},
		{Operation: "listPackages", Method: get, Path: packages, Call: s.listPackages},
		{Operation: "getPackage", Method: get, Path: one, Call: s.getPackage},
		{Operation: "updatePackage", Method: put, Path: one, Call: s.updatePackage},
		{Operation: "updatePackage", Method: post, Path: one, Call: s.updatePackage},
		{Operation: "deletePackage", Method: del, Path: one, Call: s.deletePackage},
		{Operation: "clonePackage", Method: post, Path: one + "/clone", Call: s.clonePackage},
		{Operation: "listRoles", Method: get, Path: one + "/roles", Call: s.listRoles},
		{Operation: "createRole", Method: post, Path: one + "/roles", Call: s.createRole},
		{Operation: "updateRoles", Method: put, Path: one + "/roles", Call: s.updateRoles},
		{Operation: "getRole", Method: get, Path: role, Call: s.getRole},
		{Operation: "updateRole", Method: put, Path: role, Call: s.updateRole},
		{Operation: "updateRole", Method: post, Path: role, Call: s.updateRole},
		{Operation: "deleteRole", Method: del, Path: role, Call: s.deleteRole},
		{Operation: "unlockRole", Method: post, Path: role + "/unlock", Call: s.unlockRole},
		{Operation: "createDocuments", Method: post, Path: one + "/documents", Call: s.createDocuments, BodyLimit: uploadLimit},
		{Operation: "updateDocuments", Method: put, Path: one + "/documents", Call: s.updateDocuments},
		{Operation: "deleteDocuments", Method: del, Path: one + "/documents", Call: s.deleteDocuments},
		{Operation: "signDocuments", Method: post, Path: one + "/documents/signed_documents", Call: s.signDocuments, Admits: s.reads},
		{Operation: "confirmDocument", Method: post, Path: one + "/documents/signConfirm", Call: s.confirmDocument, Admits: s.reads},
		{Operation: "getDocumentsZip", Method: get, Path: one + "/documents/zip", Call: s.getDocumentsZip},
		{Operation: "getDocument", Method: get, Path: document, Call: s.getDocument},
		{Operation: "updateDocument", Method: put, Path: document, Call: s.updateDocument, BodyLimit: uploadLimit},
		{Operation: "updateDocument", Method: post, Path: document, Call: s.updateDocument, BodyLimit: uploadLimit},
		{Operation: "deleteDocument", Method: del, Path: document, Call: s.deleteDocument},
		{Operation: "getDocumentPdf", Method: get, Path: document + "/pdf", Call: s.getDocumentFile, Admits: s.reads},
		{Operation: "getDocumentOriginal", Method: get, Path: document + "/original", Call: s.getDocumentFile},
		{Operation: "getSigningStatus", Method: get, Path: one + "/signingStatus", Call: s.getSigningStatus},
		{Operation: "getSigningUrl", Method: get, Path: role + "/signingUrl", Call: s.getSigningURL},
		{Operation: "createSignerToken", Method: post, Path: "/api/authenticationTokens/signer/singleUse", Call: s.createSingleUseToken},
		{Operation: "createSignerToken", Method: post, Path: "/api/authenticationTokens/signer/multiUse", Call: s.createMultiUseToken},
		{Operation: "authenticate", Method: get, Path: "/auth", Call: s.authenticate, Admits: anybody},
		{Operation: "openSession", Method: get, Path: "/access", Call: s.openSession, Admits: anybody},
		{Operation: "openSigningUrl", Method: get, Path: "/sign/{link}", Call: s.openLink, Admits: anybody},
		{Operation: "showSigningPage", Method: get, Path: "/transaction/{package}/sign", Call: s.showPage, Admits: anybody},
		{Operation: "signOnPage", Method: post, Path: "/transaction/{package}/sign", Call: s.actOnPage, Admits: anybody},
	}
}

// Steering makes packages in number and sets what the account is like.
func (s *Server) Steering() []wire.Route {
	return []wire.Route{
		{Method: http.MethodPost, Path: "/_manage/packages", Call: wire.JSON(s.makePackages)},
		{Method: http.MethodPut, Path: "/_manage/account", Call: wire.JSON(s.putAccount)},
	}
}

// Errors is the form of the signing platform's errors.
func (s *Server) Errors() wire.Errors { return errorForm{} }

// Reset forgets every package, session and setting of the account.
func (s *Server) Reset() {
	s.store.reset()
	s.sessions.reset()
}
