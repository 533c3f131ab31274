package signing

import "slices"

// party is a signer of a role; without a signer it is the first one of the role, and
// without a role the account.
type party struct{ roleID, signerID string }

// signer is who the party is in a package, nobody where its role has gone.
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
		return p.Sender
	}
}

// has reports whether the party still is one of the package's.
func (p *pkg) has(who party) bool {
	return slices.ContainsFunc(p.roleNamed(who.roleID).Signers, func(s signer) bool { return s.ID == who.signerID })
}

// partyOf is the role's signer of that id or e-mail address, else its first.
func (r role) partyOf(id string) party {
	i := slices.IndexFunc(r.Signers, func(s signer) bool { return s.ID == id || s.Email == mailbox(id) })
	if len(r.Signers) == 0 {
		return party{roleID: r.ID}
	}
	return party{r.ID, r.Signers[max(i, 0)].ID}
}

// signerCalled is the signer of that id or e-mail address, whatever role has the same
// id, or the first signer of the role of that id.
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

// signedFor is who has signed a document for a role, or is to sign it first.
func (p *pkg) signedFor(roleID, documentID string) signer {
	who := party{roleID: roleID}
	for _, e := range p.events {
		if e.name == documentSigned && e.documentID == documentID && e.by.roleID == roleID {
			who = e.by.party
		}
	}
	return p.signer(who)
}

// roleNamed is the role of that id, or one without signers.
func (p *pkg) roleNamed(id string) role {
	i := slices.IndexFunc(p.Roles, func(r role) bool { return r.ID == id })
	if i < 0 {
		return role{}
	}
	return p.Roles[i]
}
