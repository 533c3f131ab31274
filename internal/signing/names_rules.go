package signing

import "countersign/internal/payload"

// holder identifies a signer of a package by the positions of its role and of itself.
type holder struct{ role, signer int }

// signerReference is an id or e-mail address by which the platform identifies a signer. The
// pointer is empty if it is stored already.
type signerReference struct {
	holder
	text, pointer string
}

// names are the names in a package: the ids of its roles, the ids of its signers, and the
// signers' e-mail addresses.
type names struct {
	roles, signers, emails []signerReference
	count                  int // roles
}

// distinct notes names in roles by which the platform could take one signer for another
// (docs/platform.md S7), and too many files that all roles ask for. A role of the payload replaces the stored role with the same id.
func (r *rules) distinct(roles ...payload.Value) {
	var given []payload.Object
	for _, v := range roles {
		if v.Kind() == '{' {
			o, _ := v.Object()
			given = append(given, o)
		}
	}
	var n names
	n.store(r.remaining(given))
	for _, o := range given {
		n.add(o, r.storedRole(r.roleNamed(o)), r.roleNamed(o))
	}
	n.compare(r)
	r.countAsked(given)
}

// roleNamed returns the id of a role of the payload: its own, or the path's.
func (r *rules) roleNamed(o payload.Object) string {
	if r.Role != "" {
		return r.Role
	}
	return o.StringOrEmpty("id")
}

// remaining returns the stored roles that none of given replaces.
func (r *rules) remaining(given []payload.Object) []Role {
	if r.Package == nil {
		return nil
	}
	replaced := map[string]bool{}
	for _, o := range given {
		replaced[r.roleNamed(o)] = true
	}
	var roles []Role
	for _, role := range r.Package.Roles {
		if !replaced[role.ID] {
			roles = append(roles, role)
		}
	}
	return roles
}

func (n *names) store(roles []Role) {
	for _, role := range roles {
		n.roles = append(n.roles, signerReference{holder{n.count, 0}, role.ID, ""})
		n.storeSigners(role.Signers)
		n.count++
	}
}

func (n *names) storeSigners(signers []Signer) {
	for i, s := range signers {
		n.signers = append(n.signers, signerReference{holder{n.count, i}, s.ID, ""})
		n.emails = append(n.emails, signerReference{holder{n.count, i}, s.Email, ""})
	}
}

// add adds a role of the payload with its id. Members that the payload leaves out are
// those of the stored role.
func (n *names) add(o payload.Object, stored Role, id string) {
	n.roles = append(n.roles, signerReference{holder{n.count, 0}, id, o.Pointer() + "/id"})
	if !o.Has("signers") {
		n.storeSigners(stored.Signers)
	}
	i := 0
	for v := range o.Elements("signers") {
		if v.Kind() != '{' {
			continue
		}
		s, _ := v.Object()
		at := holder{n.count, i}
		n.signers = append(n.signers, signerReference{at, s.StringOrEmpty("id"), s.Pointer() + "/id"})
		if s.Has("email") {
			n.emails = append(n.emails, signerReference{at, s.StringOrEmpty("email"), s.Pointer() + "/email"})
		} else {
			n.emails = append(n.emails, signerReference{at, stored.signer(s.StringOrEmpty("id"), "").Email, ""})
		}
		i++
	}
	n.count++
}

// compare notes each name of the payload that names another signer too. Equal ids of two
// roles and equal addresses of two signers are noted elsewhere.
func (n *names) compare(r *rules) {
	roles, signers, emails := first(n.roles), first(n.signers), first(folded(n.emails))
	for _, id := range n.roles {
		isSigner := signers.other(id.text, id.role)
		r.noteTaken(id, isSigner || emails.other(payload.FoldAddress(id.text), id.role))
	}
	for _, id := range n.signers {
		holding, isSigner := signers[id.text]
		addressed, isEmail := emails[payload.FoldAddress(id.text)]
		r.noteTaken(id, isSigner && holding != id.holder || isEmail && addressed != id.holder || roles.other(id.text, id.role))
	}
	stored := first(folded(n.stored()))
	for _, email := range n.emails {
		holding, isID := stored[payload.FoldAddress(email.text)]
		r.noteTaken(email, isID && holding.role != email.role)
	}
}

// stored returns the ids that are stored already.
func (n *names) stored() (ids []signerReference) {
	for _, all := range [][]signerReference{n.roles, n.signers} {
		for _, id := range all {
			if id.pointer == "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func (r *rules) noteTaken(n signerReference, taken bool) {
	if taken && n.text != "" && n.pointer != "" {
		r.Note(n.pointer, "field.taken")
	}
}

// holders maps a name to its holder: of several, the first that is stored, else the
// first.
type holders map[string]holder

func first(all []signerReference) holders {
	h := holders{}
	for _, stored := range []bool{true, false} {
		for _, n := range all {
			if _, held := h[n.text]; !held && n.text != "" && stored == (n.pointer == "") {
				h[n.text] = n.holder
			}
		}
	}
	return h
}

// other reports whether a role other than the given one holds the name.
func (h holders) other(name string, role int) bool {
	holding, held := h[name]
	return held && holding.role != role
}

// folded returns the names with their texts folded as addresses.
func folded(all []signerReference) []signerReference {
	folded := make([]signerReference, 0, len(all))
	for _, n := range all {
		n.text = payload.FoldAddress(n.text)
		folded = append(folded, n)
	}
	return folded
}
