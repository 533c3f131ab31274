package signing

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// getSignerVerification answers with the verification of a role's signer by a third
// party, or with 204 if there is none (docs/platform.md S7).
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

// setSignerVerification stores {typeId, payload} and answers with it.
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
	return wire.Empty{}, s.verifyRole(r, nil)
}

// verifyRole sets the verification of the signer of the path's role; nil removes it.
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
