package index

import (
	"slices"

	"countersign/internal/access"
	"countersign/internal/signing"
)

// The owner, sender or signer of a list, as List.Of names them.
func ownedBy(user string) string   { return "owner " + user }
func sentBy(email string) string   { return "sender " + email }
func signedBy(email string) string { return "signer " + email }

// statuses are the platform's package statuses (docs/platform.md S4), and otherStatus for
// a status that is none of them.
var statuses = []string{signing.StatusDraft, signing.StatusSent, signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired, otherStatus}

const otherStatus = "OTHER"

// Each package is in one bucket of each person's lists: the bucket of its type and
// status, of its type if trashed, or toSign if it waits for that signer. Few lists per
// package keep the index small; a query reads several lists as one.
func withStatus(kind, status string) string { return kind + " " + status }
func trashedOf(kind string) string          { return "trashed " + kind }

const toSign = "to sign"

// lists returns the lists that the package is in.
func (p *policy) lists() []access.List {
	if p == nil {
		return nil
	}
	var lists []access.List
	if p.Owner != "" {
		lists = append(lists, access.List{Of: ownedBy(p.Owner), Bucket: p.bucket()})
	}
	if p.Sender != "" {
		lists = append(lists, access.List{Of: sentBy(p.Sender), Bucket: p.bucket()})
	}
	for email, waits := range p.signerAddresses() {
		bucket := p.bucket()
		if waits && p.Status == signing.StatusSent {
			bucket = toSign
		}
		lists = append(lists, access.List{Of: signedBy(email), Bucket: bucket})
	}
	return lists
}

func (p *policy) bucket() string {
	switch {
	case p.Trashed:
		return trashedOf(p.Type)
	case slices.Contains(statuses, p.Status):
		return withStatus(p.Type, p.Status)
	}
	return withStatus(p.Type, otherStatus)
}

// signerAddresses returns the e-mail addresses of the signers of a package that was sent,
// each with whether the package waits for them.
func (p *policy) signerAddresses() map[string]bool {
	if !p.signable() {
		return nil
	}
	asked := map[string]bool{}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			if s.Email != "" && !r.NothingToSign {
				asked[s.Email] = asked[s.Email] || !r.Signed
			}
		}
	}
	return asked
}

var overStatuses = []string{signing.StatusCompleted, signing.StatusArchived, signing.StatusDeclined, signing.StatusOptedOut, signing.StatusExpired}

func (p *policy) over() bool { return p != nil && slices.Contains(overStatuses, p.Status) }

// owners returns whose the package is, as lists name them.
func (p *policy) owners() (all []string) {
	if p == nil {
		return nil
	}
	if p.Owner != "" {
		all = append(all, ownedBy(p.Owner))
	}
	if p.Sender != "" {
		all = append(all, sentBy(p.Sender))
	}
	return all
}

// people returns whose the package is and who signs it, as lists name them.
func (p *policy) people() []string {
	all := p.owners()
	if p != nil {
		for email := range p.signerAddresses() {
			all = append(all, signedBy(email))
		}
	}
	return all
}
