package service

import (
	"context"
	"slices"

	"countersign/internal/access"
	"countersign/internal/signing"
	"countersign/internal/signing/index"
)

// Progress says which roles of a package have something to sign, and for which of them
// something is left.
type Progress struct{ Asked, Waits func(signing.Role) bool }

// ProgressOf returns the progress of a package with all of its approvals.
func ProgressOf(p signing.Package) Progress { return Progress{p.IsAsked, p.Waits} }

// ProgressIn returns the progress of an item of a list, which has no approvals.
func ProgressIn(item index.Item) Progress {
	asked := func(r signing.Role) bool { return slices.Contains(item.Asked, r.ID) }
	return Progress{asked, func(r signing.Role) bool { return asked(r) && !slices.Contains(item.Signed, r.ID) }}
}

// Turn says when a person signs.
type Turn int

// The turns.
const (
	// Never is nothing left to sign.
	Never Turn = iota
	// Later is after others.
	Later
	// Now is at once.
	Now
)

// OwnTurn returns the role that the person of g has still to sign for, and when.
func OwnTurn(p signing.Package, g index.Grant, how Progress) (role signing.Role, when Turn) {
	if !g.Signable || p.Status != signing.StatusSent {
		return role, Never
	}
	for _, r := range p.Roles {
		switch {
		case nameFor(r, g) == "", !how.Waits(r):
		case p.Turn(r, how.Waits):
			return r, Now
		default:
			role, when = r, Later
		}
	}
	return role, when
}

// mostCounted limits the packages that are looked at to count those that wait for a person.
const mostCounted = 100

// Waiting returns the number of packages that wait for the person to sign: those to be
// signed by them whose turn has come. Those beyond the first 100 all count.
func (s *Service) Waiting(ctx context.Context, person access.Person) (int, error) {
	list, err := s.Index.List(ctx, person, index.Query{Mine: index.MineToSign, From: 1, To: mostCounted})
	if err != nil {
		return 0, err
	}
	count := max(0, list.Count-mostCounted)
	for _, item := range list.Items {
		pkg, err := signing.ReadPackage(item.Package)
		if err != nil {
			return 0, err
		}
		if _, turn := OwnTurn(pkg, item.Grant, ProgressIn(item)); turn == Now {
			count++
		}
	}
	return count, nil
}
