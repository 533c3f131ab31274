package signing

import (
	"net/http"

	"countersign/internal/sandbox/wire"
)

// The values of a check's extractionStatus.
const (
	checkCompleted = "COMPLETED"
	checkNone      = "NOT_PERFORMED"
	checkFailed    = "FAILED"
)

// fileCheck is what the platform found in an attached file. The names of the members that say
// which file it is are an assumption (docs/platform.md S13).
type fileCheck struct {
	RoleID       string         `json:"roleId"`
	AttachmentID string         `json:"attachmentId"`
	FileID       int            `json:"fileId"`
	FileName     string         `json:"fileName"`
	Status       string         `json:"extractionStatus"`
	Reason       *string        `json:"reasonCode"`
	Fields       map[string]any `json:"extractedFields"`
	Results      []any          `json:"verificationCheckResults"`
}

// fileChecks returns the checks of a role's files, of all roles for "".
func (p *pkg) fileChecks(roleID string) []fileCheck {
	all := []fileCheck{}
	for _, r := range p.Roles {
		if roleID != "" && r.ID != roleID {
			continue
		}
		for _, q := range r.AttachmentRequirements {
			for _, a := range q.Files {
				check, known := p.checks[q.key(r.ID, a)]
				if !known {
					check.Status = checkNone
				}
				check.RoleID, check.AttachmentID, check.FileID, check.FileName = r.ID, q.ID, a.ID, a.Name
				check.Fields, check.Results = map[string]any{}, []any{}
				all = append(all, check)
			}
		}
	}
	return all
}

// checkInput says what was found in the attached files of a requirement.
type checkInput struct {
	Package    string  `json:"package"`
	Attachment string  `json:"attachment"`
	File       *int    `json:"file"` // absent: all of them
	Status     string  `json:"status"`
	ReasonCode *string `json:"reasonCode"`
}

// setCheck sets what was found. Once something was found in each file of the role, the event
// is told.
func (s *Server) setCheck(_ *http.Request, in checkInput) (any, error) {
	var rules wire.Rules
	rules.OneOf("status", &in.Status, checkCompleted, checkNone, checkFailed)
	if err := rules.Err(); err != nil {
		return nil, err
	}
	var told event
	p, err := s.store.change(in.Package, actor{}, func(p *pkg) error {
		roleID, q, err := p.requirement(party{}, in.Attachment)
		if err != nil {
			return err
		}
		if p.checks == nil {
			p.checks = map[string]fileCheck{}
		}
		for _, a := range q.Files {
			if in.File == nil || *in.File == a.ID {
				p.checks[q.key(roleID, a)] = fileCheck{Status: in.Status, Reason: in.ReasonCode}
			}
		}
		told = p.checkEvent(roleID, dateOf(s.now()))
		return nil
	})
	if err == nil && told.name != "" {
		s.tell(p, told)
	}
	return nil, err
}

// checkEvent returns the event of a role all of whose files have been looked at; none for
// others.
func (p *pkg) checkEvent(roleID string, at date) event {
	message := "FINISHED"
	for _, check := range p.fileChecks(roleID) {
		switch check.Status {
		case checkNone:
			return event{}
		case checkFailed:
			message = checkFailed
		}
	}
	return event{name: attachmentsChecked, at: at, by: actor{party: party{roleID: roleID}}, message: message}
}
