package signing

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// tokenParameters maps the parameters of /auth to the kinds of tokens that they take
// (docs/platform.md S9).
var tokenParameters = map[string]func(access) bool{
	"signerAuthenticationToken": access.signers,
	"senderAuthenticationToken": access.senders,
	"authenticationToken":       access.users,
}

// signerToken is the payload of the tokens' operations and, with the value, their answer
// (docs/platform.md S9).
type signerToken struct {
	PackageID     string         `json:"packageId"`
	SignerID      string         `json:"signerId"` // or an e-mail address
	SessionFields jsontext.Value `json:"sessionFields,omitempty"`
	Value         string         `json:"value"`
}

func (s *Server) createSingleUseToken(r *http.Request) (any, error) {
	return s.createSignerToken(r, true)
}

func (s *Server) createMultiUseToken(r *http.Request) (any, error) {
	return s.createSignerToken(r, false)
}

func (s *Server) createSignerToken(r *http.Request, single bool) (any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	var in signerToken
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	a, err := s.accessOf(in.PackageID, in.SignerID)
	if err != nil {
		return nil, err
	}
	in.Value = s.sessions.token(a, single)
	return in, nil
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

// createSenderToken makes a token that opens one package for its sender.
func (s *Server) createSenderToken(r *http.Request) (any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	var in struct {
		PackageID string `json:"packageId"`
		Value     string `json:"value"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	p, err := s.store.find(in.PackageID)
	if err != nil {
		return nil, err
	}
	in.Value = s.sessions.token(access{packageID: p.ID}, true)
	return in, nil
}

// createUserToken makes a token that opens the account, whatever the body says.
func (s *Server) createUserToken(*http.Request) (any, error) {
	return struct {
		Value string `json:"value"`
	}{s.sessions.token(access{}, true)}, nil
}

// createSession makes the older form of a signer's token, which /access takes; with
// neither package nor signer it is the sender's.
func (s *Server) createSession(r *http.Request) (any, error) {
	a, err := access{}, error(nil)
	if query := r.URL.Query(); query.Has("package") || query.Has("signer") {
		a, err = s.accessOf(query.Get("package"), query.Get("signer"))
	}
	if err != nil {
		return nil, err
	}
	return sessionToken{s.sessions.token(a, false)}, nil
}

// sessionToken is the id of a session, or a token that opens one.
type sessionToken struct {
	SessionToken string `json:"sessionToken"`
}

// showSenderPage shows the page of a sender's session: the package, or nothing.
func (s *Server) showSenderPage(r *http.Request) (any, error) {
	a, ok := s.session(r)
	if !ok || a.roleID != "" || !a.opens(r.PathValue("package")) {
		return expiredPage(r), nil
	}
	if r.PathValue("package") == "" {
		view := visitorOf(r, party{}, "").page("Packages")
		view.Notice = "The sandbox shows packages by its REST interface alone."
		return view, nil
	}
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	view := visitorOf(r, party{}, "").page(p.Name)
	view.Notice = p.Status
	for _, d := range p.Documents {
		view.Documents = append(view.Documents, pageDocument{Name: d.Name, Link: p.fileLink(d)})
	}
	return view, nil
}
