package signing

import (
	"slices"
	"strings"
	"time"
)

// transitions are the statuses that a request may give a package, by its present status
// (docs/platform.md S6).
var transitions = map[string][]string{
	draft:     {sent},
	sent:      {draft, completed, declined, optedOut},
	completed: {archived},
	archived:  {completed},
}

// move gives the package another status, if its roles, its approvals and the comments of
// the request allow it.
func (p *pkg) move(to string, comments []message, now time.Time) error {
	if !slices.Contains(transitions[p.Status], to) {
		return invalidState("A package that is " + p.Status + " cannot become " + to + ".")
	}
	switch {
	case to == sent && p.Type != typePackage:
		return invalidState("A " + p.Type + " cannot be sent.")
	case to == sent && slices.ContainsFunc(p.Roles, func(r role) bool { return len(r.Signers) == 0 }):
		return refuse(unassignedRole)
	case to == completed && p.Status == sent && !p.signedBy("", ""):
		return invalidState("The package is not signed by all of its signers.")
	case (to == optedOut || to == declined) && !commented(comments):
		return refuse(invalidComment)
	case to == completed && p.Completed == nil:
		at := dateOf(now)
		p.Completed = &at
	case to == sent:
		p.schedule(now)
	}
	for _, c := range comments {
		c.Status, c.Created = "NEW", dateOf(now)
		c.complete(now)
		p.Messages = append(p.Messages, c)
	}
	p.Status = to
	return nil
}

func commented(comments []message) bool {
	return slices.ContainsFunc(comments, func(c message) bool { return strings.TrimSpace(c.Content) != "" })
}

// editable refuses changes of content that signers were sent.
func (p *pkg) editable(before *pkg) error {
	same := p.Name == before.Name && p.Description == before.Description && p.EmailMessage == before.EmailMessage &&
		p.Type == before.Type && p.Visibility == before.Visibility && or(p.Language) == or(before.Language)
	if before.Status != draft && !same {
		return invalidState("The package is not a draft.")
	}
	return nil
}

// or returns *text, or "" for nil.
func or(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// signedBy reports whether the approvals of a role in a document (any for "") are done:
// at least one is signed or validly left out, and nothing remains to be signed, or to be
// attached to the package.
func (p *pkg) signedBy(roleID, documentID string) bool {
	if documentID == "" && p.lacks(roleID) {
		return false
	}
	found := false
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			if roleID != "" && a.Role != roleID || documentID != "" && d.ID != documentID {
				continue
			}
			if a.awaits(a.Role) && !a.Optional {
				return false
			}
			found = found || a.Accepted != nil
		}
	}
	return found
}

// signingStatus returns the package's status of signing, or that of one signer or
// document in it; each may be "" (docs/platform.md S6).
func (p *pkg) signingStatus(signerID, documentID string) (string, error) {
	roleID := ""
	if signerID != "" {
		r, err := first(p.Roles, "signer", func(r *role) bool { return r.hasSigner(signerID) })
		if err != nil {
			return "", err
		}
		roleID = r.ID
	}
	if _, err := p.document(documentID); documentID != "" && err != nil {
		return "", err
	}
	switch {
	case p.Trashed:
		return "DELETED", nil
	case p.Status != sent:
		return p.Status, nil
	case p.signedBy(roleID, documentID):
		return "SIGNING_COMPLETED", nil
	default:
		return "SIGNING_PENDING", nil
	}
}

// hasSigner reports whether the role has a signer with that id or e-mail address.
func (r role) hasSigner(id string) bool {
	return slices.ContainsFunc(r.Signers, func(s signer) bool { return s.ID == id || s.Email == mailbox(id) })
}
