package portal

import (
	"net/url"
	"slices"

	"countersign/internal/payload"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
	"countersign/internal/signing/service"
	"countersign/templates"
)

// corrected sets the address of the correction page for each person who has not signed
// and can be corrected.
func corrected(p signing.Package, how service.Progress, all []templates.PackagePerson) {
	i := 0
	for _, r := range p.Roles {
		if !how.Asked(r) {
			continue
		}
		for range r.Signers {
			if how.Waits(r) && r.Type != signing.RoleSender && len(r.Signers) == 1 {
				all[i].Correct = packagePath(p.ID) + "/recipients/" + url.PathEscape(r.ID)
			}
			i++
		}
	}
}

// people returns the signers of a package as the grant's person may see them.
func people(p signing.Package, g index.Grant, how service.Progress) (all []templates.PackagePerson) {
	for _, r := range p.Roles {
		if !how.Asked(r) {
			continue
		}
		for _, s := range r.Signers {
			one := templates.PackagePerson{Name: s.Name(), You: slices.Contains(g.Roles, r.ID) && (s.Email != "" || len(r.Signers) == 1)}
			if g.Access > index.Signer {
				one.You = slices.Contains(g.Names, payload.FoldAddress(s.Email))
			}
			// A signer sees only their own state until everyone has signed.
			if g.Access > index.Signer || one.You || signing.Finished(p.Status) {
				if one.State = stateOfRole(p, r, how); one.State.Signed() {
					one.At = p.SignedAt(r.ID)
				}
			}
			all = append(all, one)
		}
	}
	return all
}

func stateOfRole(p signing.Package, r signing.Role, how service.Progress) templates.PersonState {
	switch {
	case p.Status == signing.StatusDraft:
		return ""
	case !how.Waits(r):
		return templates.PersonSigned
	case p.Status != signing.StatusSent:
		return templates.PersonDidNotSign
	case p.Turn(r, how.Waits):
		return templates.PersonUnsigned
	}
	return templates.PersonLater
}
