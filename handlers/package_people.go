package handlers

import (
	"net/url"
	"slices"

	"countersign/internal/access"
	"countersign/internal/intake"
	"countersign/internal/signing"
	"countersign/templates"
)

// progress is how far a package is: which roles have something to sign, and for which of
// them something is left.
type progress struct{ asked, waits func(signing.Role) bool }

// progressOf is that of a package with all of its approvals.
func progressOf(p signing.Package) progress { return progress{p.IsAsked, p.Waits} }

// progressIn is that of an item of a list, which has no approvals.
func progressIn(item access.Item) progress {
	asked := func(r signing.Role) bool { return slices.Contains(item.Asked, r.ID) }
	return progress{asked, func(r signing.Role) bool { return asked(r) && !slices.Contains(item.Signed, r.ID) }}
}

// ownSigning is the role that the person has still to sign for, and whether they can now.
func ownSigning(p signing.Package, g access.Grant, how progress) (role string, when templates.Signing) {
	if !g.Signable || p.Status != signing.StatusSent {
		return "", templates.SigningNone
	}
	for _, r := range p.Roles {
		switch {
		case !slices.Contains(g.SoleRoles, r.ID), !how.waits(r):
		case p.Turn(r, how.waits):
			return r.ID, templates.SigningNow
		default:
			role, when = r.ID, templates.SigningLater
		}
	}
	return role, when
}

// corrected adds where each person is corrected who has not signed.
func corrected(p signing.Package, how progress, all []templates.PackagePerson) {
	i := 0
	for _, r := range p.Roles {
		if !how.asked(r) {
			continue
		}
		for range r.Signers {
			if how.waits(r) && r.Type != "SENDER" && len(r.Signers) == 1 {
				all[i].Correct = packagePath(p.ID) + "/recipients/" + url.PathEscape(r.ID)
			}
			i++
		}
	}
}

// people are those who sign a package, as the person may see it.
func people(p signing.Package, g access.Grant, how progress) (all []templates.PackagePerson) {
	for _, r := range p.Roles {
		if !how.asked(r) {
			continue
		}
		for _, s := range r.Signers {
			one := templates.PackagePerson{Name: s.Name(), You: slices.Contains(g.Roles, r.ID) && (s.Email != "" || len(r.Signers) == 1)}
			if g.Standing > access.Signer {
				one.You = slices.Contains(g.Names, intake.FoldAddress(s.Email))
			}
			// A signer is told of themselves, until all have signed.
			if g.Standing > access.Signer || one.You || signing.Finished(p.Status) {
				if one.State = stateOfRole(p, r, how); one.State.Signed() {
					one.At = p.SignedAt(r.ID)
				}
			}
			all = append(all, one)
		}
	}
	return all
}

func stateOfRole(p signing.Package, r signing.Role, how progress) templates.PersonState {
	switch {
	case p.Status == signing.StatusDraft:
		return ""
	case !how.waits(r):
		return templates.PersonSigned
	case p.Status != signing.StatusSent:
		return templates.PersonDidNotSign
	case p.Turn(r, how.waits):
		return templates.PersonUnsigned
	}
	return templates.PersonLater
}
