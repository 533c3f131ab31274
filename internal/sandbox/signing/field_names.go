package signing

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/pdf"
)

// namedField matches a form field whose name tells its signer and its kind
// (docs/platform.md S20): [Signer1.Fullname1] is a signature,
// [Signer1.Capture1.Textfield1] an input that goes with one, [….Label1.Date] shows
// a bound value, and [….Optional] need not be signed.
var namedField = regexp.MustCompile(`(?i)^\[([^.\[\]]+)\.((fullname|capture|initials|mobilecapture)\d*)(?:\.((textfield|checkbox|label)\d*)(?:\.(\w+|\{\w+\.\w+\}))?)?(\.optional)?\]$`)

// The groups of a match.
const (
	partRole = iota + 1
	partApproval
	partSignature
	_
	partInput
	partBinding
	partOptional
)

var namedSubtypes = map[string]string{
	"fullname": "FULLNAME", "capture": "CAPTURE", "initials": "INITIALS", "mobilecapture": "MOBILE_CAPTURE",
	"textfield": "TEXTFIELD", "checkbox": "CHECKBOX", "label": "LABEL",
}

var namedBindings = map[string]string{
	"date": bindingSigned, "signed": bindingSigned, "name": bindingName, "title": bindingTitle, "company": bindingCompany,
	bindingSigned: bindingSigned, bindingName: bindingName, bindingTitle: bindingTitle, bindingCompany: bindingCompany,
}

// extractNamed makes approvals of the form fields that are named so, except those that
// the payload places itself.
func (d *document) extractNamed(form []pdf.FormField, roles []role) {
	approvals := map[string]int{}
	for _, one := range form {
		parts := namedField.FindStringSubmatch(one.Name)
		if parts == nil || d.places(one.Name) {
			continue
		}
		i := slices.IndexFunc(roles, func(r role) bool { return r.isCalled(parts[partRole]) })
		if i < 0 {
			continue
		}
		key := strings.ToLower(parts[partRole] + "." + parts[partApproval])
		at, known := approvals[key]
		if !known {
			at = len(d.Approvals)
			approvals[key] = at
			d.Approvals = append(d.Approvals, approval{ID: uuid.NewString(), Role: roles[i].ID})
		}
		a := &d.Approvals[at]
		a.Optional = a.Optional || parts[partOptional] != ""
		a.Fields = append(a.Fields, newNamedField(one, parts))
	}
}

func newNamedField(at pdf.FormField, parts []string) field {
	f := field{
		ID: uuid.NewString(), Name: at.Name, Type: typeSignature, Subtype: namedSubtypes[strings.ToLower(parts[partSignature])], Extract: true,
		Page: at.Page, Left: at.Rect.Left, Top: at.Rect.Top, Width: at.Rect.Width, Height: at.Rect.Height,
	}
	if parts[partInput] != "" {
		f.Type, f.Subtype = typeInput, namedSubtypes[strings.ToLower(parts[partInput])]
		if binding, ok := namedBindings[strings.ToLower(parts[partBinding])]; ok {
			f.Binding = &binding
		}
		if at.Required {
			f.Validation = jsontext.Value(`{"required":true}`)
		}
	}
	return f
}

// places reports whether a field of the document names the form field.
func (d *document) places(name string) bool {
	return slices.ContainsFunc(d.Approvals, func(a approval) bool {
		return slices.ContainsFunc(a.Fields, func(f field) bool { return f.Extract && f.Name == name })
	})
}

// isCalled reports whether a name means the role: its id or name, or Owner.
func (r role) isCalled(name string) bool {
	return strings.EqualFold(r.ID, name) || strings.EqualFold(r.Name, name) || r.Type == roleSender && strings.EqualFold(name, "owner")
}
