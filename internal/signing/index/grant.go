package index

import (
	"context"
	"errors"

	"countersign/internal/access"
	"countersign/internal/fault"
)

// errNotTheirs is the logged cause of a request.not-found for a package that is unknown
// or not the person's.
var errNotTheirs = errors.New("index: package not found or not visible")

// Grant returns what the policy allows person on the package id. A signer, an owner or an
// operator that the index knows costs one round trip to Redis.
//
// For anybody else the platform is asked, whether or not the index knows the id;
// RATE_LOOKUP counts these questions by session. A person who is neither signer nor owner
// gets request.not-found, as for an id that the platform does not know; other errors are
// request.rate, the platform's, and outages. An operator may do everything; for the roles
// of a package that the index does not know, the platform is asked.
func (x *Index) Grant(ctx context.Context, person access.Person, session, id string) (Grant, error) {
	r, err := x.judge(ctx, nil, id)
	return x.grant(ctx, r, err, person, session, id)
}

// AccessTo is Grant by the record of the package id that was read already; nil reads it. Of a
// package that was just changed, who made it and operators are told Access and Owner alone,
// and the platform is not asked.
func (x *Index) AccessTo(ctx context.Context, read *RecordRead, person access.Person, session, id string) (Grant, error) {
	r, err := x.judge(ctx, read, id)
	if err == nil && r != nil && r.stale && (r.madeBy(person) || person.Operator) {
		return Grant{Access: r.grant(person).Access, Owner: r.owner(), record: r}, nil
	}
	return x.grant(ctx, r, err, person, session, id)
}

// grant is Grant by a record, or nil and the error of reading it.
func (x *Index) grant(ctx context.Context, r *record, err error, person access.Person, session, id string) (Grant, error) {
	switch {
	case err != nil:
		return Grant{}, err
	case r != nil && r.stale:
		known, err := x.isPendingFor(ctx, person, r)
		if err != nil {
			return Grant{}, err
		}
		if known {
			return x.askFor(ctx, person, id)
		}
	case r != nil:
		if g := r.grant(person); g.Access != NoAccess {
			g.record = r
			return x.admit(ctx, person, id, &r.policy, g)
		}
	}
	if !person.Operator {
		if err := x.takeLookup(ctx, session); err != nil {
			return Grant{}, err
		}
	}
	return x.askFor(ctx, person, id)
}

// admit returns g, the grant of a person that policy p knows. A signer's grant is read
// from the platform again if the visibility of documents is stale or the policy lacks its documents.
func (x *Index) admit(ctx context.Context, person access.Person, id string, p *policy, g Grant) (Grant, error) {
	if g.Access != Signer || !p.Part && !p.visibilityStale(x.now(), x.sweep) {
		return g, nil
	}
	return x.askFor(ctx, person, id)
}

// askFor refreshes the package from the platform and returns person's grant.
func (x *Index) askFor(ctx context.Context, person access.Person, id string) (Grant, error) {
	c, err := x.refresh(ctx, id, refreshOptions{person: person})
	if err != nil {
		return Grant{}, err
	}
	return grantOf(c.full, person)
}

// grantOf returns person's grant by policy p; request.not-found for an outsider and for a
// nil p.
func grantOf(p *policy, person access.Person) (Grant, error) {
	if p != nil {
		if g := p.grant(person); g.Access != NoAccess {
			return g, nil
		}
	}
	return Grant{}, fault.Wrap(fault.RequestNotFound, errNotTheirs)
}
