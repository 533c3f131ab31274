package signing

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// The types of a package.
const (
	TypePackage  = "PACKAGE"
	TypeTemplate = "TEMPLATE"
	TypeLayout   = "LAYOUT"
)

// PlaceholderRole is a role of a template: what its signer does and is asked for, without
// the signer.
type PlaceholderRole struct {
	ID       string        `json:"id"`
	Name     string        `json:"name,omitzero"`
	Type     string        `json:"type,omitzero"`
	Index    int           `json:"index"`
	Reassign bool          `json:"reassign"`
	Signers  []DraftSigner `json:"signers"`
	Files    []askedFile   `json:"attachmentRequirements,omitzero"`
}

// askedFile is a file that a signer is asked to attach.
type askedFile struct {
	ID          string `json:"id,omitzero"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	Required    bool   `json:"required"`
}

// Placeholders returns the roles of a package without their signers, for a template of it
// (docs/platform.md S17). A role whose name names its signer loses the name.
func Placeholders(value jsontext.Value) (roles []PlaceholderRole, err error) {
	var p struct {
		Roles []PlaceholderRole `json:"roles"`
	}
	if err := payload.Unmarshal(value, &p); err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	for _, r := range p.Roles {
		if r.Type == RoleSender {
			continue
		}
		if slices.ContainsFunc(r.Signers, func(s DraftSigner) bool { return Names(r.Name, s.FirstName, s.LastName, s.Email) }) {
			r.Name = ""
		}
		r.Signers = []DraftSigner{}
		roles = append(roles, r)
	}
	return roles, nil
}

// Names reports whether a text contains one of the names, in whatever case.
func Names(text string, names ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(text, strings.ToLower(name)) })
}
