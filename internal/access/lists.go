package access

import "slices"

// list is one sorted set of packages: what somebody is to them, and a bucket of these.
// What a person may see is in a few of them together.
type list struct{ of, bucket string }

// What somebody is to the packages of a list.
func ownedBy(user string) string   { return "owner " + user }
func sentBy(email string) string   { return "sender " + email }
func signedBy(email string) string { return "signer " + email }

// The buckets of packages that are not trashed are all of a type, and those of a type
// and a status; beside them are the trashed of a type, and what waits for a signer.
func allOf(kind string) string              { return kind }
func withStatus(kind, status string) string { return kind + " " + status }
func trashedOf(kind string) string          { return "trashed " + kind }

const toSign = "to sign"

// lists are those that the package is in.
func (p *policy) lists() []list {
	if p == nil {
		return nil
	}
	var lists []list
	add := func(of string, buckets ...string) {
		for _, bucket := range buckets {
			if l := (list{of, bucket}); !slices.Contains(lists, l) {
				lists = append(lists, l)
			}
		}
	}
	if p.Owner != "" {
		add(ownedBy(p.Owner), p.buckets()...)
	}
	if p.Sender != "" {
		add(sentBy(p.Sender), p.buckets()...)
	}
	if !p.signable() {
		return lists
	}
	for _, r := range p.Roles {
		for _, s := range r.Signers {
			if s.Email == "" {
				continue
			}
			add(signedBy(s.Email), p.buckets()...)
			if p.Status == statusSent && !r.Signed {
				add(signedBy(s.Email), toSign)
			}
		}
	}
	return lists
}

func (p *policy) buckets() []string {
	if p.Trashed {
		return []string{trashedOf(p.Type)}
	}
	return []string{allOf(p.Type), withStatus(p.Type, p.Status)}
}

// moves are the lists that a package leaves and joins when its policy changes, nil for
// none before or after.
func moves(before, after *policy) (leave, join []list) {
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
