package signing

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// getSignerVerification is how a role's signer is verified, by a third party; a 204
// where there is nothing of the kind (docs/platform.md S7).
func (s *Server) getSignerVerification(r *http.Request) (any, error) {
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	i, err := p.roleIndex(r.PathValue("role"))
	if err != nil || p.verifications[p.Roles[i].ID] == nil {
		return nil, err
	}
	return p.verifications[p.Roles[i].ID], nil
}

// setSignerVerification takes {typeId, payload} and answers with it.
func (s *Server) setSignerVerification(r *http.Request) (any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	var in struct {
		TypeID string `json:"typeId"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	var rules wire.Rules
	rules.Required("typeId", &in.TypeID)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	return jsontext.Value(body), s.verifyRole(r, body)
}

func (s *Server) deleteSignerVerification(r *http.Request) (any, error) {
	return wire.Empty, s.verifyRole(r, nil)
}

// verifyRole sets how the signer of the path's role is verified; nil is not at all.
func (s *Server) verifyRole(r *http.Request, verification jsontext.Value) error {
	_, err := s.changeRoles(r, func(p *pkg) error {
		i, err := p.changeableRole(r.PathValue("role"))
		if err != nil {
			return err
		}
		if p.verifications == nil {
			p.verifications = map[string]jsontext.Value{}
		}
		p.verifications[p.Roles[i].ID] = verification
		return nil
	})
	return err
}
