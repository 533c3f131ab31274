package signing

import (
	"slices"
	"strings"
)

// The types of a package.
const (
	TypePackage  = "PACKAGE"
	TypeTemplate = "TEMPLATE"
	TypeLayout   = "LAYOUT"
)

// Placeholders returns the roles of a package without their signers, for a template of it
// (docs/platform.md S17): what each does and is asked for. A role whose name names its signer
// loses the name.
func (p Package) Placeholders() (roles []RoleChange) {
	for _, r := range p.Roles {
		if r.Type == RoleSender {
			continue
		}
		to := r.Change()
		to.Signers, to.EmailMessage = []Signer{}, nil
		if slices.ContainsFunc(r.Signers, func(s Signer) bool { return Names(r.Name, s.FirstName, s.LastName, s.Email) }) {
			to.Name = ""
		}
		roles = append(roles, to)
	}
	return roles
}

// Names reports whether a text contains one of the names, in whatever case.
func Names(text string, names ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && strings.Contains(text, strings.ToLower(name)) })
}
