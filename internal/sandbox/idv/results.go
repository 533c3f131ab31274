package idv

import (
	"net/http"

	"github.com/go-json-experiment/json"
)

// The kinds of checks (docs/platform.md V7).
const (
	documentCheck = "document_id"
	faceCheck     = "document_with_face"
)

// provider is the name of the checks' provider.
const provider = "sandbox"

// check is one part of the verification.
type check struct{ kind, id string }

// passed reports whether a check has passed; this is only known with the result.
func (t *transaction) passed(one check) bool {
	if one.kind == faceCheck {
		return t.played.face == good
	}
	return t.played.document == good
}

// verificationView is a verification in the answer to getTransaction (docs/platform.md
// V2).
type verificationView struct {
	ID        string `json:"vhub_verification_id"`
	HubID     string `json:"vhub_transaction_id"`
	Provider  string `json:"provider"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	HubStatus string `json:"vhub_transaction_status"`
	Created   stamp  `json:"created"`
}

// The statuses of a verification.
const (
	verificationPending = "PENDING"
	verificationSuccess = "SUCCESS"
	verificationFailed  = "FAILED"
	hubInProgress       = "IN_PROGRESS"
	hubCompleted        = "COMPLETED"
)

// checkStatus returns the status of a check.
func (t *transaction) checkStatus(one check) string {
	switch {
	case t.result == "":
		return verificationPending
	case t.passed(one):
		return verificationSuccess
	default:
		return verificationFailed
	}
}

func (t *transaction) hubStatus() string {
	if t.result == "" {
		return hubInProgress
	}
	return hubCompleted
}

// begun returns the checks that the person has begun.
func (t *transaction) begun() []check {
	switch {
	case t.played.face != "":
		return t.checks[:]
	case t.played.document != "":
		return t.checks[:1]
	default:
		return nil
	}
}

func (t *transaction) verifications() []verificationView {
	list := []verificationView{}
	for _, one := range t.begun() {
		list = append(list, verificationView{
			ID: one.id, HubID: t.hub, Provider: provider, Type: one.kind,
			Status: t.checkStatus(one), HubStatus: t.hubStatus(), Created: stamp{t.created},
		})
	}
	return list
}

// resultView is one of the verification results; its content is JSON in a string.
type resultView struct {
	Provider string `json:"provider"`
	Type     string `json:"type"`
	Content  string `json:"content"`
}

// getVerification answers with the results; before the end there are none.
func (s *Server) getVerification(_ *http.Request, t *transaction) (any, error) {
	type hub struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	answer := struct {
		Hub     hub          `json:"vHubTransaction"`
		Results []resultView `json:"verificationResults"`
	}{hub{t.hub, t.hubStatus()}, []resultView{}}
	if t.result == "" {
		return answer, nil
	}
	for _, one := range t.begun() {
		text, err := json.Marshal(t.content(one))
		if err != nil {
			return nil, err
		}
		answer.Results = append(answer.Results, resultView{provider, one.kind, string(text)})
	}
	return answer, nil
}
