package signing

import "slices"

// party is a signer of a role; without a signer it is the role's first one, and without a
// role the account.
type party struct{ roleID, signerID string }

// signer returns the party's signer in a package, or an empty one if its role is gone.
func (p *pkg) signer(who party) signer {
	signers := p.roleNamed(who.roleID).Signers
	i := slices.IndexFunc(signers, func(s signer) bool { return s.ID == who.signerID })
	switch {
	case i >= 0:
		return signers[i]
	case len(signers) > 0:
		return signers[0]
	case who.roleID != "":
		return signer{}
	default:
		return p.Sender.signer
	}
}

// has reports whether the party is still a signer of the package.
func (p *pkg) has(who party) bool {
	return slices.ContainsFunc(p.roleNamed(who.roleID).Signers, func(s signer) bool { return s.ID == who.signerID })
}

// partyOf returns the role's signer with that id or e-mail address, else its first.
func (r role) partyOf(id string) party {
	i := slices.IndexFunc(r.Signers, func(s signer) bool { return s.ID == id || s.Email == mailbox(id) })
	if len(r.Signers) == 0 {
		return party{roleID: r.ID}
	}
	return party{r.ID, r.Signers[max(i, 0)].ID}
}

// signerCalled returns the signer with that id or e-mail address, even if a role has the
// same id, or else the first signer of the role with that id.
func (p *pkg) signerCalled(id string) (party, error) {
	i := slices.IndexFunc(p.Roles, func(r role) bool { return r.hasSigner(id) })
	if i < 0 {
		i = slices.IndexFunc(p.Roles, func(r role) bool { return r.ID == id })
	}
	if i < 0 {
		return party{}, unknown("signer")
	}
	return p.Roles[i].partyOf(id), nil
}

// signedFor returns the signer who has signed a document for a role, or else the role's
// first one.
func (p *pkg) signedFor(roleID, documentID string) signer {
	who := party{roleID: roleID}
	for _, e := range p.events {
		if e.name == documentSigned && e.documentID == documentID && e.by.roleID == roleID {
			who = e.by.party
		}
	}
	return p.signer(who)
}
