package signing

import "slices"

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

// documents returns the package's documents without the platform's consent.
func (s *Stored) documents() []storedDocument {
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.Documents), func(d storedDocument) bool { return d.ID == ConsentDocument })
}

// field returns the field at path; empty if there is none.
func (s *Stored) field(path FieldPath) storedField {
	for _, field := range s.fields(path) {
		if field.ID == path.Field {
			return field
		}
	}
	return storedField{}
}

// signedBy reports whether the approval at path has a signature other than the field at
// path.
func (s *Stored) signedBy(path FieldPath) bool {
	return slices.ContainsFunc(s.fields(path), func(f storedField) bool { return f.Type == signature && f.ID != path.Field })
}

// fields returns the fields of the approval at path.
func (s *Stored) fields(path FieldPath) []storedField {
	if s == nil {
		return nil
	}
	for _, document := range s.Documents {
		for _, approval := range document.Approvals {
			if document.ID == path.Document && approval.ID == path.Approval {
				return approval.Fields
			}
		}
	}
	return nil
}
