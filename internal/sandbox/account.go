package sandbox

import (
	"net/http"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/signing"
	"countersign/internal/sandbox/wire"
)

// account sets up the account at the services that have one.
type account struct {
	identity *identity.Server
	signing  *signing.Server
	idv      *idv.Server
}

// accountInput is the input of all of them, in one object.
type accountInput struct {
	Identity identity.AccountInput `json:",embed"`
	Signing  signing.AccountInput  `json:",embed"`
	IDV      idv.AccountInput      `json:",embed"`
}

func (a account) route() wire.Route {
	return wire.Route{Method: http.MethodPut, Path: "/_manage/account", Call: wire.JSON(a.put)}
}

// put sets everything or, if anything is invalid, nothing.
func (a account) put(_ *http.Request, in accountInput) (any, error) {
	var rules wire.Rules
	in.Signing.Check(&rules)
	in.IDV.Check(&rules)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	a.identity.SetAccount(in.Identity)
	a.signing.SetAccount(in.Signing)
	a.idv.SetAccount(in.IDV)
	return nil, nil
}
