package signing

import (
	"net/http"

	"countersign/internal/sandbox/wire"

	"github.com/go-json-experiment/json/jsontext"
)

// signerToken is the payload of the tokens' operations and, with the value, their answer
// (docs/platform.md S9).
type signerToken struct {
	PackageID     string         `json:"packageId"`
	SignerID      string         `json:"signerId"` // or an e-mail address
	SessionFields jsontext.Value `json:"sessionFields,omitempty"`
	Value         string         `json:"value"`
}

func (s *Server) tokenRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "createSignerToken", Method: post, Path: tokensPath + "/signer/singleUse", Call: s.createToken(true)},
		{Operation: "createSignerToken", Method: post, Path: tokensPath + "/signer/multiUse", Call: s.createToken(false)},
		{Operation: "createSignerToken", Method: post, Path: "/api/signerAuthenticationTokens", Call: s.createToken(false)},
		{Operation: "createSession", Method: post, Path: "/api/sessions", Call: s.createSession},
	}
}

// createToken returns the call that makes tokens, for one use or several.
func (s *Server) createToken(single bool) wire.Call {
	return withBody(func(_ *http.Request, in signerToken) (any, error) {
		a, err := s.accessOf(in.PackageID, in.SignerID)
		if err != nil {
			return nil, err
		}
		in.Value = s.sessions.token(a, single)
		return in, nil
	})
}

// accessOf returns the access of a package's signer, who is named by an id or e-mail
// address.
func (s *Server) accessOf(packageID, signerID string) (access, error) {
	p, err := s.store.find(packageID)
	if err != nil {
		return access{}, err
	}
	who, err := p.signerCalled(signerID)
	return access{packageID: p.ID, party: who}, err
}

// createSession makes the older form of a signer's token, which /access takes.
func (s *Server) createSession(r *http.Request) (any, error) {
	a, err := s.accessOf(r.URL.Query().Get("package"), r.URL.Query().Get("signer"))
	if err != nil {
		return nil, err
	}
	return sessionToken{s.sessions.token(a, false)}, nil
}

// sessionToken is the id of a session, or a token that opens one.
type sessionToken struct {
	SessionToken string `json:"sessionToken"`
}
