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
