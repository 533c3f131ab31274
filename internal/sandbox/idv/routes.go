package idv

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

const get, put, post = http.MethodGet, http.MethodPut, http.MethodPost

// Routes are the operations of the platform, in both families of paths (facts, 1),
// and the page that plays the person.
func (s *Server) Routes() []wire.Route {
	routes := slices.Concat(s.family("/api/transaction"), s.family("/api/transactions"))
	for i := range routes {
		routes[i].Credential = s.credential
	}
	return routes
}

// family are the operations below one path.
func (s *Server) family(path string) []wire.Route {
	one := path + "/{transaction}"
	return []wire.Route{
		{Operation: "createTransaction", Method: put, Path: path, Call: s.create, BodyLimit: createLimit},
		{Operation: "createTransaction", Method: post, Path: path, Call: s.create, BodyLimit: createLimit},
		{Operation: "getTransaction", Method: get, Path: one, Call: s.get},
		{Operation: "getTransactionVerification", Method: get, Path: one + "/verification", Call: s.getVerification},
		{Operation: "cancelTransaction", Method: put, Path: one + "/event", Call: wire.JSON(s.cancel)},
		{Operation: "createSessionToken", Method: post, Path: one + "/token", Call: wire.JSON(s.createToken)},
	}
}

// Steering makes transactions in number, shows what is held of one, and changes it.
func (s *Server) Steering() []wire.Route { return nil }
