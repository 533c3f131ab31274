package signing

import "slices"

// documents returns the package's documents without the platform's consent.
func (p *Package) documents() []Document {
	if p == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Documents), func(d Document) bool { return d.ID == ConsentDocument })
}

// field returns the field at path; empty if there is none.
func (p *Package) field(path FieldPath) Field {
	for _, field := range p.fields(path) {
		if field.ID == path.Field {
			return field
		}
	}
	return Field{}
}

// signedBy reports whether the approval at path has a signature other than the field at
// path.
func (p *Package) signedBy(path FieldPath) bool {
	return slices.ContainsFunc(p.fields(path), func(f Field) bool { return f.Type == signature && f.ID != path.Field })
}

// fields returns the fields of the approval at path.
func (p *Package) fields(path FieldPath) []Field {
	if p == nil {
		return nil
	}
	for _, document := range p.Documents {
		for _, approval := range document.Approvals {
			if document.ID == path.Document && approval.ID == path.Approval {
				return approval.Fields
			}
		}
	}
	return nil
}
