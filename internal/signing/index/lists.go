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
			if s.Email != "" && !r.Unasked {
				asked[s.Email] = asked[s.Email] || !r.Signed
			}
		}
	}
	return asked
}

// effects are what a change means to the people of a package.
type effects struct {
	// leave and join are the lists that the package leaves and joins.
	leave, join []access.List
	news        []newsEntry
	// ended says that the package has ended with this change.
	ended bool
}

// effectsOf returns the effects of a change. A package that the index did not have before is
// no news, and has not ended now.
func effectsOf(s *access.Space, c change) (e effects) {
	if c.keep {
		return e
	}
	was, is := c.before.lists(), c.after.lists()
	for _, l := range was {
		if !slices.Contains(is, l) {
			e.leave = append(e.leave, l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			e.join = append(e.join, l)
		}
	}
	if c.before != nil && c.before.Type == typePackage {
		e.news = newsOf(s, c)
		e.ended = !c.before.over() && c.after.over() && !c.after.Trashed
	}
	return e
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

// newsEntry sets a field of somebody's news, or deletes it if value is "".
type newsEntry struct{ key, field, value string }

// newsOf returns the news that a change is to each person.
func newsOf(s *access.Space, c change) (all []newsEntry) {
	people, value := c.after.people(), "1"
	if c.before.over() {
		people, value = c.before.people(), ""
	}
	if c.before.over() != c.after.over() {
		for _, of := range people {
			all = append(all, newsEntry{s.List(access.List{Of: of, Bucket: newsOver}), c.name, value})
		}
	}
	return append(all, signatureNews(s, c)...)
}

// signatureNews returns the new signatures for the owners of a package, while it is with
// its signers.
func signatureNews(s *access.Space, c change) (all []newsEntry) {
	add := func(p *policy, r role, value string) {
		for _, of := range p.owners() {
			all = append(all, newsEntry{s.List(access.List{Of: of, Bucket: newsSignatures}), c.name + " " + s.Sealer.Name("role "+r.ID), value})
		}
	}
	underway := c.after != nil && c.after.Status == signing.StatusSent
	signed := map[string]bool{}
	for _, r := range c.before.Roles {
		signed[r.ID] = r.Signed
		if r.Signed && !underway {
			add(c.before, r, "")
		}
	}
	if !underway || c.before.Status != signing.StatusSent {
		return all
	}
	for _, r := range c.after.Roles {
		if was, known := signed[r.ID]; r.Signed && !was && known && len(r.Signers) > 0 {
			add(c.after, r, s.Sealer.Name(signedBy(r.Signers[0].Email)))
		}
	}
	return all
}
