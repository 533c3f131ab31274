package index

import (
	"slices"

	"countersign/internal/access"
)

// What somebody is to the packages of a list.
func ownedBy(user string) string   { return "owner " + user }
func sentBy(email string) string   { return "sender " + email }
func signedBy(email string) string { return "signer " + email }

// statuses are the platform's (docs/platform.md S4). A package of another one is in the
// bucket of otherStatus.
var statuses = []string{statusDraft, statusSent, "COMPLETED", "ARCHIVED", "DECLINED", "OPTED_OUT", "EXPIRED", otherStatus}

const otherStatus = "OTHER"

// Each package is in one bucket of somebody's: those of a type and a status, the trashed
// of a type, and for a signer those that wait for them. To be in few lists keeps it
// small; whole lists are read together.
func withStatus(kind, status string) string { return kind + " " + status }
func trashedOf(kind string) string          { return "trashed " + kind }

const toSign = "to sign"

// lists are those that the package is in.
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
	for email, waits := range p.asked() {
		bucket := p.bucket()
		if waits && p.Status == statusSent {
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

// asked are the addresses that the package was sent to, and whether it waits for them.
func (p *policy) asked() map[string]bool {
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

// moves are the lists that a package leaves and joins when its policy changes, nil for
// none before or after.
func moves(before, after *policy) (leave, join []access.List) {
	was, is := before.lists(), after.lists()
	for _, l := range was {
		if !slices.Contains(is, l) {
			leave = append(leave, l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			join = append(join, l)
		}
	}
	return leave, join
}
