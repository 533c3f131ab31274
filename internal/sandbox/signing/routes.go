package signing

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

// uploadLimit limits a body with documents: 256 MiB of them, in base64.
const uploadLimit = 352 << 20

const (
	packagesPath = "/api/packages"
	packagePath  = packagesPath + "/{package}"
	rolePath     = packagePath + "/roles/{role}"
	documentPath = packagePath + "/documents/{document}"
	attachedPath = packagePath + "/attachment"
	attachPath   = attachedPath + "/{attachment}"
	approvalPath = documentPath + "/approvals/{approval}"
	fieldPath    = approvalPath + "/fields/{field}"
	fieldsPath   = "/api/account/customfields"

	userFieldsPath = "/api/user/customfields"
	callbackPath   = "/api/callback"
	connectorPath  = callbackPath + "/connectors/{origin}"
	tokensPath     = "/api/authenticationTokens"

	get, put, post, del = http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete
)

// Routes returns the operations of the signing API, and the token endpoint.
func (s *Server) Routes() []wire.Route {
	routes := slices.Concat(
		s.packageRoutes(),
		s.fieldRoutes(),
		s.reminderRoutes(),
		s.notifyRoutes(),
		s.roleRoutes(),
		s.documentRoutes(),
		s.fileRoutes(),
		s.visibilityRoutes(),
		s.approvalRoutes(),
		s.attachmentRoutes(),
		s.signRoutes(),
		s.accessRoutes(),
		s.signPageRoutes(),
		s.pageRoutes(),
		s.tokenRoutes(),
		s.customFieldRoutes(),
		s.registerRoutes(),
	)
	for i := range routes {
		routes[i].Credential = s.callers.credential
	}
	return append(routes, s.callers.tokenRoute())
}
