package signing

type storedDocument struct {
	ID        string           `json:"id"`
	Approvals []storedApproval `json:"approvals"`
}

type storedApproval struct {
	ID     string        `json:"id"`
	Fields []storedField `json:"fields"`
}

type storedField struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
}

// field is the field that path names; empty if there is none.
func (s *Stored) field(path FieldPath) storedField {
	if s == nil {
		return storedField{}
	}
	for _, document := range s.Documents {
		for _, approval := range document.Approvals {
			for _, field := range approval.Fields {
				if path == (FieldPath{Document: document.ID, Approval: approval.ID, Field: field.ID}) {
					return field
				}
			}
		}
	}
	return storedField{}
}
